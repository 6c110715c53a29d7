import swaggerJsdoc from 'swagger-jsdoc';
import { PRODUCT_NAME } from '../../shared/platform/product-name.js';
import type { Components, Json } from './components.js';
import { introduction } from './introduction.js';
import { buildOperation, type OperationBlock } from './operation.js';
import { sharedParameters, sharedQueryParameters } from './parameters.js';
import { collectRouteFacts } from './routes.js';
import { buildComponentSchemas } from './schemas.js';
import { errorResponses, securitySchemes, sharedHeaders } from './shared.js';
import { sortPaths, tags } from './tags.js';

type Paths = Record<string, Record<string, OperationBlock>>;

/**
 * Builds the OpenAPI 3.0.3 document. Names and prose come from the routes' `@openapi` blocks.
 * Parameters, bodies, responses, errors and rights are derived from the Joi schemas and from the
 * facts that each route's middleware declare (api/runtime/route-facts.ts).
 * @param sources globs of the route files
 */
export function buildOpenApiDocument(sources: string[]): Json {
  const document = swaggerJsdoc({
    failOnErrors: true,
    apis: sources,
    definition: {
      openapi: '3.0.3',
      info: {
        title: `${PRODUCT_NAME} API`,
        version: '1.0.0',
        description: introduction,
        contact: { name: 'Support', url: 'https://example.com/support' },
        license: { name: 'Proprietary', url: 'https://example.com/terms' },
      },
      servers: [{ url: '/api/v1' }],
      security: [{ bearerAuth: [] }, { sessionCookie: [] }],
      tags,
      components: {
        securitySchemes,
        headers: { ...sharedHeaders },
        parameters: { ...sharedParameters, ...sharedQueryParameters },
        responses: { ...errorResponses },
        examples: {},
        schemas: buildComponentSchemas(),
      },
    },
  }) as { paths: Paths; components: Components } & Json;
  const paths = sortPaths(buildPaths(document.paths, document.components));
  dropUnusedSchemas({ ...document, paths });
  return { ...document, paths };
}

/** Renders the document as indented JSON, with each `$ref` on one line to keep diffs short. */
export function renderOpenApiDocument(document: Json): string {
  const text = JSON.stringify(document, null, 2);
  return `${text.replace(/\{\s+("\$ref": "[^"]+")\s+\}/g, '{ $1 }')}\n`;
}

function buildPaths(blocks: Paths, components: Components): Record<string, Record<string, Json>> {
  const facts = collectRouteFacts();
  const paths = Object.entries(blocks).map(([path, item]) => {
    const operations = Object.entries(item).map(([method, block]) => {
      const route = { method, path, facts: facts.get(`${method} ${path}`) ?? {} };
      return [method, buildOperation(block, route, components)];
    });
    return [path, Object.fromEntries(operations)];
  });
  return Object.fromEntries(paths);
}

/**
 * Removes unused schemas from the OpenAPI document. They belong to the tools of agents, and the MCP
 * manifest shows them.
 */
function dropUnusedSchemas({ components, ...rest }: { components: Components } & Json): void {
  const { schemas } = components;
  let unused: string[];
  do {
    const text = JSON.stringify([rest, components]);
    unused = Object.keys(schemas).filter((name) => !text.includes(`"#/components/schemas/${name}"`));
    for (const name of unused) delete schemas[name];
  } while (unused.length > 0);
}
