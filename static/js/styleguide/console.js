/** The style guide of the scorer's console. */
import { ACTIONS } from "../console/page.js";
import { unveil } from "../console/panel/screen.js";
import { drawRest } from "./sample.js";
import { showStates, showTemplates } from "./show.js";
import { AROUND_STATES } from "./states/around.js";
import { ENTRY_STATES } from "./states/entry.js";

unveil(ACTIONS, () => undefined);
showTemplates();
await showStates([...AROUND_STATES, ...ENTRY_STATES], drawRest);
