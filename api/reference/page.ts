import { PRODUCT_NAME } from '../../shared/platform/product-name.js';

/** The HTML of the page at /docs, which loads nothing from other hosts. */
export const REFERENCE_PAGE_HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${PRODUCT_NAME} API reference</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/**
 * The script that starts the page at /docs. `freshen` gives unique members of the examples a new
 * value on every visit. Otherwise the service would refuse a prefilled create request as a
 * duplicate. `findOperations` replaces the filter of Swagger UI, which searches only tags. The
 * replacement also searches paths, operation ids and summaries.
 */
export const REFERENCE_PAGE_SCRIPT = `'use strict';

function freshen(document) {
  const mark = Date.now().toString(36).toUpperCase();
  const fresh = {
    '/invoices': { invoice_number: 'EXAMPLE-' + mark },
    '/trucks': { unit_number: 'T-' + mark },
    '/rate-cards': { name: 'Example rates ' + mark },
    '/users': { email: 'robin.' + mark.toLowerCase() + '@example.com' },
  };
  for (const [path, members] of Object.entries(fresh)) {
    Object.assign(document.paths[path].post.requestBody.content['application/json'].example, members);
  }
  return document;
}

function findOperations(groups, phrase) {
  const wanted = phrase.toLowerCase();
  const has = (text) => String(text || '').toLowerCase().includes(wanted);
  const fits = (one) => has(one.get('path')) || has(one.getIn(['operation', 'summary'])) || has(one.getIn(['operation', 'operationId']));
  return groups
    .map((group, tag) => (has(tag) ? group : group.update('operations', (all) => all.filter(fits))))
    .filter((group) => group.get('operations').size > 0);
}

const settings = {
  url: '/docs/openapi.json',
  dom_id: '#reference',
  plugins: [() => ({ fn: { opsFilter: findOperations } })],
  filter: true,
  deepLinking: true,
  persistAuthorization: true,
  requestSnippetsEnabled: true,
  tryItOutEnabled: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
};

fetch(settings.url)
  .then((response) => response.json())
  .then((document) => {
    window.ui = SwaggerUIBundle({ ...settings, spec: freshen(document) });
  });
`;
