// Shows the OpenAPI document that #reference names, with Swagger UI. Requests tried on the page go
// to this server.
(() => {
  "use strict";
  /**
   * What the page's own heading says is not said twice; one server only; no link in the button of
   * an operation.
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
    docExpansion: "list",
    defaultModelsExpandDepth: -1,
    displayOperationId: false,
    // The site's own policy lets nothing out: no outside validator, no outside pictures.
    validatorUrl: null,
    syntaxHighlight: { activated: false },
    plugins: [accessible],
  });
})();
