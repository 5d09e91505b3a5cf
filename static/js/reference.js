// Shows the OpenAPI document that #reference names, with Swagger UI. Requests tried on the page go
// to this server.
(() => {
  "use strict";
  /**
   * Omits what the page's own heading says, the choice of servers, and the link inside an
   * operation's button.
   */
  const accessible = (system) => ({
    components: {
      InfoContainer: () => null,
      ServersContainer: () => null,
      DeepLink: (props) => system.React.createElement("span", null, props.text),
    },
  });
  const place = document.getElementById("reference");
  // Swagger UI has dark colours of its own, under a class of the root: the page's theme decides.
  const root = document.documentElement;
  const isDark = matchMedia("(prefers-color-scheme: dark)");
  const followTheme = () =>
    root.classList.toggle(
      "dark-mode",
      (root.dataset.theme ?? (isDark.matches && "dark")) === "dark",
    );
  followTheme();
  isDark.addEventListener("change", followTheme);
  window.SwaggerUIBundle({
    url: place.dataset.document,
    domNode: place,
    deepLinking: true,
    // With all subjects open Swagger UI stops after the first operations of a document this long.
    docExpansion: "none",
    defaultModelsExpandDepth: -1,
    displayOperationId: false,
    // The site's policy blocks external requests: no external validator or pictures.
    validatorUrl: null,
    syntaxHighlight: { activated: false },
    plugins: [accessible],
  });
})();
