/** Types that many scripts share. Only read by `tsc`; nothing of it is served to a page. */

/** A body on the wire: docs/schema/game-events.v1.json. */
interface EventBody {
  type: string;
  [field: string]: any;
}

/** A question of an action: static/js/console/fields.js says what each kind needs. */
interface Step {
  name: string;
  label: string;
  kind: string;
  [detail: string]: any;
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
    trigger(target: string, event: string): void;
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
