/** Rules for the browser's scripts; each off-switch says why. */
import js from "@eslint/js";
import globals from "globals";

// Variables and parameters whose names do not say what they hold; those of Python and of templates:
// tests/vague_names.py.
const VAGUE =
  "/^(one|found|made|held|said|some|its|way|own|wanted|shown|over|rest|given|kept|seen|theirs|ours|gone|told|got|came)$/";
const NAMED = [
  "VariableDeclarator > Identifier.id",
  ":function > Identifier.params",
  "VariableDeclarator > ArrayPattern > Identifier",
  ":function > ArrayPattern > Identifier",
];
const VAGUE_NAMES = NAMED.map((selector) => ({
  selector: `${selector}[name=${VAGUE}]`,
  message: "Say what it holds.",
}));

export default [
  {
    ignores: [
      "static/vendor/**",
      "node_modules/**",
      ".venv/**",
      "var/**",
      "build/**",
      "test-results/**",
    ],
  },
  js.configs.recommended,
  {
    files: ["static/js/**/*.js"],
    languageOptions: { globals: globals.browser },
    rules: {
      eqeqeq: "error",
      "no-var": "error",
      "prefer-const": "error",
      "no-implicit-globals": "error",
      "no-unused-vars": ["error", { varsIgnorePattern: "^_", argsIgnorePattern: "^_" }],
      "no-shadow": "error",
      "no-else-return": "error",
      "max-depth": ["error", { max: 4 }],
      "max-params": ["error", { max: 5 }],
      complexity: ["error", { max: 12 }],
      "no-restricted-syntax": ["error", ...VAGUE_NAMES],
    },
  },
  {
    // a worker is a script of its own: its functions are global to it alone
    files: ["static/js/console/sw.js", "static/js/offline/sw.js"],
    languageOptions: { sourceType: "script", globals: globals.serviceworker },
    rules: { "no-implicit-globals": "off" },
  },
  { files: ["tests/js/**/*.js", "eslint.config.js"], languageOptions: { globals: globals.node } },
];
