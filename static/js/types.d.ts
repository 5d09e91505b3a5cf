/** Types that many scripts share. Only read by `tsc`; nothing of it is served to a page. */

/** A body on the wire: docs/schema/game-events.v1.json. */
interface EventBody {
  type: string;
  [field: string]: any;
}

/** A question of an action: static/js/console/entry/fields.js says what each kind needs. */
interface Step {
  name: string;
  label: string;
  kind: string;
  [detail: string]: any;
}

/**
 * What a key of the console records: its questions, the bodies that follow from the answers, and how
 * those read. `a`: the answers by the name of their question; `s`: the situation.
 */
interface Action {
  /** As in scorer_console/keys/rules.py, which knows its key and its line in the manual. */
  name: string;
  title: string;
  /** The questions up to the first that is not answered. */
  steps?: (a: any, s: Situation) => Step[];
  build?: (a: any, s: Situation) => EventBody[];
  /** The sentence of each event type that it records. `sentence`: that of another body. */
  sentences?: Record<
    string,
    (body: any, s: any, sentence: (body: any, s: any) => string) => string
  >;
  /** Nothing of it makes sense before the first snap. */
  needsBall?: boolean;
  /** A correction can put an event of it in the place of another one. */
  isRuling?: boolean;
  /** It can be added to an earlier play. */
  isLate?: boolean;
  /** Whether an entry with these answers opens the next play. */
  opensPlay?: (a: any, s: Situation) => boolean;
  /** The club's choice that the action implies: a try for one point or for two. */
  choice?: "one" | "two";
  /** Which other actions it offers; `compose` gets them by name and adds steps and build. */
  offers?: (action: Action) => boolean;
  compose?: (offered: Record<string, Action>, keys: Record<string, string>) => Partial<Action>;
  [more: string]: any;
}

/** An answer that is offered. `note`: when it is taken; `key`: the key that takes it. */
interface Offer {
  label: string;
  value: any;
  note?: string;
  key?: string;
}

/**
 * What the server knows of the game, with the unsent entries on top (scorer_console/entry/page.py), and
 * what the page knows.
 */
type Situation = Record<string, any>;

interface Window {
  SwaggerUIBundle: (options: object) => void;
  htmx?: {
    trigger(target: string | Element, event: string): void;
    process(element: Element): void;
    ajax(verb: string, path: string, context: object): Promise<void>;
  };
}

interface DocumentEventMap {
  "htmx:afterSwap": CustomEvent;
  "htmx:afterRequest": CustomEvent;
  "htmx:responseError": CustomEvent;
  "htmx:beforeSwap": CustomEvent;
  "htmx:sendError": CustomEvent;
  "htmx:timeout": CustomEvent;
  "pressbox:sign-in": CustomEvent<{ next: string; isKept: boolean }>;
}

interface HTMLElementEventMap {
  "htmx:configRequest": CustomEvent;
  "htmx:afterSwap": CustomEvent;
  "htmx:afterRequest": CustomEvent;
  "htmx:beforeRequest": CustomEvent;
  "htmx:beforeSwap": CustomEvent;
  "htmx:responseError": CustomEvent;
}
