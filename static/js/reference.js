// Shows the OpenAPI document that #reference names, with Swagger UI. Requests tried on the page go to this server.
(() => {
  "use strict";
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
  });
})();
