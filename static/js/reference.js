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
