/**
 * A client of Pressbox's API for servers and browsers: copy this folder into your project, `npm install openapi-fetch`.
 *
 * Paths, parameters, bodies and answers are typed by the OpenAPI document: schema.d.ts, which `make clients` writes. A 429 or 503 is sent again after its Retry-After, the same body with the same key, so
 * that nothing counts twice. Everything else above 399 throws an ApiError.
 *
 *     const server = pressbox("https://scores.example", { key: "pbk_..." });
 *     const { games } = await answer(server.GET("/v1/games"));
 */
import createClient, { type Client } from "openapi-fetch";

import type { components, paths } from "./schema.js";

export type Schemas = components["schemas"];
export type Problem = Schemas["Problem"];
export type Pressbox = Client<paths>;

/** `key`: an integrator's, for a server only. `token`: a player's access token. `tries`: of one call, at most. */
export interface Options {
  key?: string;
  token?: string;
  tries?: number;
}

/** What the API refused, with why: `problem.errors` names each faulty field. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly problem: Partial<Problem>,
  ) {
    super(problem.detail ?? `HTTP ${status}`);
    this.name = "ApiError";
  }
}

/** Sent once only: a second try would make a second webhook or rollback, or use up a token. */
const ONCE = [/\/v1\/webhooks$/, /\/v1\/tokens\/refresh$/, /\/rollbacks$/];
const LONGEST_WAIT_SECONDS = 60;

export function pressbox(url: string, options: Options = {}): Pressbox {
  const secret = options.key ?? options.token;
  const client = createClient<paths>({
    baseUrl: url.replace(/\/+$/, ""),
    headers: secret ? { Authorization: `Bearer ${secret}` } : {},
    fetch: (request) => send(request, options.tries ?? 4),
  });
  client.use({
    async onResponse({ response }) {
      if (response.status >= 400) throw new ApiError(response.status, await problemOf(response));
    },
  });
  return client;
}

/** The body of an answer; the call throws where there is none to be had. */
export async function answer<Body>(call: Promise<{ data?: Body }>): Promise<NonNullable<Body>> {
  return (await call).data as NonNullable<Body>;
}

async function send(request: Request, tries: number): Promise<Response> {
  const once =
    request.method !== "GET" && ONCE.some((path) => path.test(new URL(request.url).pathname));
  for (let number = 1; ; number += 1) {
    const response = await fetch(request.clone());
    if (![429, 503].includes(response.status) || once || number >= tries) return response;
    const seconds = Number(response.headers.get("Retry-After") ?? 2 ** number);
    await new Promise((resolve) =>
      setTimeout(resolve, Math.min(seconds, LONGEST_WAIT_SECONDS) * 1000),
    );
  }
}

/** A proxy's own page is no problem document. */
async function problemOf(response: Response): Promise<Partial<Problem>> {
  try {
    return (await response.json()) as Partial<Problem>;
  } catch {
    return {};
  }
}
