/**
 * A client of Pressbox's API for servers and browsers: copy this folder into your project, `npm install openapi-fetch`.
 *
 * The OpenAPI document gives the types of paths, parameters, bodies and answers (schema.d.ts, which `make clients`
 * writes). After a 429 or 503 the same body is sent again with the same key, so that nothing counts twice; the client
 * waits as long as Retry-After says. Every other status above 399 throws an ApiError.
 *
 *     const server = pressbox("https://scores.example", { key: "pbk_..." });
 *     const { games } = await answer(server.GET("/v1/games"));
 */
import createClient, { type Client } from "openapi-fetch";

import type { components, paths } from "./schema.js";

export type Schemas = components["schemas"];
export type Problem = Schemas["Problem"];
export type Pressbox = Client<paths>;

/** `key` is an integrator's, only for servers; `token` a player's access token; `tries` the most tries per call. */
export interface Options {
  key?: string;
  token?: string;
  tries?: number;
}

/** The API refused a request; `problem` says why, and `problem.errors` names each faulty field. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly problem: Partial<Problem>,
  ) {
    super(problem.detail ?? `HTTP ${status}`);
    this.name = "ApiError";
  }
}

/** Never retried: a retry would create a second webhook or rollback, or use up a token. */
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

/** Returns the body of an answer; the call throws if the request fails. */
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

/** Reads a problem document; a proxy's own page is not one. */
async function problemOf(response: Response): Promise<Partial<Problem>> {
  try {
    return (await response.json()) as Partial<Problem>;
  } catch {
    return {};
  }
}
