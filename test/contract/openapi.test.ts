import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import type Joi from 'joi';
import { createRouter } from '../../api/app.js';
import { buildOpenApiDocument, renderOpenApiDocument } from '../../api/openapi/openapi.js';
import type { ApiRuntime } from '../../api/runtime/runtime.js';
import { getClassName } from '../../shared/contracts/schemas/to-openapi.js';
import { findUnknownFields, validate } from '../../shared/contracts/schemas/validate.js';
import { ERROR_STATUS } from '../../shared/platform/errors.js';
import { resources } from '../../shared/registry/resources.js';
import { PROJECT } from '../support/load/processes.js';
import { findSchemaProblems, listPublishedMembers, openApiDocument } from '../support/openapi-validator.js';
import {
  listDocumentedExamples,
  listDocumentedOperations,
  listDocumentedSchemas,
  type OpenApiNode,
  resolveRef,
} from '../support/text/openapi-walk.js';

const operations = listDocumentedOperations();
const root = openApiDocument as unknown as OpenApiNode & {
  components: Record<string, OpenApiNode>;
  tags: { name: string }[];
};

/**
 * Operations that need no key. The server answers these itself, so the router does not have them.
 */
const PUBLIC = ['GET /openapi.json', 'GET /downloads/{token}'];
/** This operation needs no key, because the token in the link is the credential. */
const DOWNLOAD = 'GET /downloads/{token}';
/**
 * People sign in by these operations, in one step or two, so the operations need no credential.
 * They create no record of the account, and do not accept the Idempotency-Key and dry-run headers
 * of other writes.
 */
const SIGN_INS = ['POST /session', 'POST /session/factor'];
/**
 * People join or reset a password by these operations, so the operations need no credential. Their
 * writes do not accept the Idempotency-Key and dry-run headers, because both headers need a known
 * account.
 */
const JOINING = [
  'GET /invitations/{token}/accept',
  'POST /invitations/{token}/accept',
  'POST /password-reset',
  'POST /password-reset/{token}',
  'GET /signup',
  'POST /signup',
  'POST /signup/resend',
  'GET /signup/verify/{token}',
  'POST /signup/verify/{token}',
];
const WITHOUT_CREDENTIAL = [...SIGN_INS, ...JOINING];
/**
 * Maps operations of {@link JOINING} to an error status that no other operation of this list
 * returns.
 */
const OF_ONE_OPERATION: Readonly<Record<string, number>> = {
  'POST /invitations/{token}/accept': 409,
  'POST /signup/verify/{token}': 401,
};
/** The body of this request is a picture, not JSON. */
const PHOTO_UPLOAD = 'POST /work-orders/{id}/photos';

function getJsonSchema(response: OpenApiNode): OpenApiNode {
  const content = response.content as Record<string, { schema: OpenApiNode }> | undefined;
  return content?.['application/json']?.schema ?? {};
}

/**
 * Lists the operations of the router. The runtime is empty, because adding routes does not use it.
 */
function listRoutedOperations(): string[] {
  const router = createRouter({} as ApiRuntime);
  return router.stack.flatMap((layer) =>
    layer.methods
      .filter((method) => method !== 'HEAD')
      .map((method) => `${method} ${String(layer.path).replace(/:(\w+)/g, '{$1}')}`),
  );
}

describe('openapi.json and the router', () => {
  it('openapi.json documents every route', () => {
    const documented = operations.map(({ name }) => name);
    expect(
      [...listRoutedOperations(), ...PUBLIC].filter((route) => !documented.includes(route)),
    ).to.deep.equal([]);
  });

  it('openapi.json documents no route that the router lacks', () => {
    const routed = [...listRoutedOperations(), ...PUBLIC];
    expect(operations.map(({ name }) => name).filter((name) => !routed.includes(name))).to.deep.equal([]);
  });
});

/**
 * Operations that can approve an invoice. For an invoice that an agent has written, these
 * operations return 428 if the request has no If-Match.
 */
const APPROVES = ['PATCH /invoices/{id}', 'POST /invoices/{id}/approve'];

describe('openapi.json: operations', () => {
  it('every operation has a unique operationId, a summary and a declared tag', () => {
    const tags = root.tags.map(({ name }) => name);
    for (const { name, operation } of operations) {
      expect(operation.operationId, name).to.match(/^[a-z][A-Za-z]+$/);
      expect(operation.summary, name).to.be.a('string').with.length.above(5);
      expect(operation.tags, name).to.be.an('array').with.length(1);
      expect(tags, name).to.include((operation.tags as string[])[0]);
    }
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).to.equal(ids.length);
  });

  it('every operation declares exactly the parameters of its path', () => {
    for (const { name, path, parameters } of operations) {
      const inPath = parameters.filter((parameter) => parameter.in === 'path');
      expect(
        inPath.map((parameter) => parameter.name),
        name,
      ).to.deep.equal([...path.matchAll(/\{(\w+)\}/g)].map(([, id]) => id));
      for (const parameter of inPath) expect(parameter.required, name).to.equal(true);
    }
  });

  it('writes declare Idempotency-Key and X-Service-Dry-Run; reads do not declare X-Service-Dry-Run', () => {
    for (const { name, method, parameters } of operations.filter(
      (one) => !WITHOUT_CREDENTIAL.includes(one.name),
    )) {
      const headers = parameters.filter((one) => one.in === 'header').map((one) => one.name);
      if (method !== 'GET')
        expect(headers, name).to.include.members(['Idempotency-Key', 'X-Service-Dry-Run']);
      else expect(headers, name).to.not.include('X-Service-Dry-Run');
    }
  });

  it('every operation declares exactly the error statuses that it can return', () => {
    for (const { name, method, path, parameters, responses } of operations) {
      const isWrite = method !== 'GET';
      const isPublic = PUBLIC.includes(name);
      const isJoining = JOINING.includes(name);
      const expected = [
        406,
        // Public operations can return 429 too. For requests without a key, the API limits the
        // unread responses of each client network.
        429,
        ...(isPublic ? [] : [500, 503]),
        ...(isPublic || isJoining ? [] : [401]),
        ...(isPublic || (isJoining && !isWrite) ? [] : [403]),
        // GET /openapi.json has no input that could be invalid.
        ...(isPublic || (isJoining && !isWrite) ? [] : [400]),
        ...(name in OF_ONE_OPERATION ? [OF_ONE_OPERATION[name]] : []),
        // GET /settings/logo returns 404 if the account has no logo.
        ...(path.includes('{') || name === 'GET /settings/logo' ? [404] : []),
        ...(isWrite ? [413, 415] : []),
        ...(isWrite && !WITHOUT_CREDENTIAL.includes(name) ? [409, 422] : []),
        // A write to a record with a version accepts If-Match, and returns 412 if the version
        // differs.
        ...(parameters.some((parameter) => parameter.name === 'If-Match') ? [412] : []),
        ...(APPROVES.includes(name) ? [428] : []),
      ];
      const declared = responses.map(({ status }) => Number(status)).filter((status) => status >= 400);
      expect(declared, name).to.have.members(name === DOWNLOAD ? [404, 416, 429, 500, 503] : expected);
    }
  });

  it('every error response names exactly the codes of its status', () => {
    for (const [name, response] of Object.entries(root.components.responses ?? {})) {
      const status = Number(name.replace('Error', ''));
      if (!status) continue;
      const named = [...String((response as OpenApiNode).description).matchAll(/`(\w+)`/g)].map(
        ([, code]) => code,
      );
      const codes = Object.entries(ERROR_STATUS).filter(([, value]) => value === status);
      expect(named, name).to.have.members(codes.map(([code]) => code));
    }
  });

  it('every operation has one plain success status, so generated clients return the resource', () => {
    for (const { name, responses } of operations.filter((one) => one.name !== DOWNLOAD)) {
      const successes = responses.map(({ status }) => status).filter((status) => status < '300');
      expect(successes, name).to.have.length(1);
      expect(successes[0], name).to.be.oneOf(['200', '201', '202']);
    }
  });

  it('every write documents dry run (200) and late commit (202) apart from its plain response', () => {
    for (const { name, method, otherResponses } of operations) {
      const isWrite = method !== 'GET' && !WITHOUT_CREDENTIAL.includes(name);
      const statuses = otherResponses.map(({ status }) => status);
      expect(statuses, name).to.deep.equal(isWrite ? ['200', '202'] : []);
    }
  });

  it('the dry run of every write has its own schema with the resource as data', () => {
    for (const { name, responses, otherResponses } of operations) {
      const [preview] = otherResponses;
      if (!preview) continue;
      const { anyOf = [], $ref = (anyOf as OpenApiNode[])[0]?.$ref } = getJsonSchema(preview.response);
      const resource = String(getJsonSchema(responses[0]?.response ?? {}).$ref)
        .split('/')
        .at(-1);
      expect($ref, name).to.equal(`#/components/schemas/DryRunOf${resource}`);
      const { properties } = resolveRef({ $ref }) as { properties: Record<string, OpenApiNode> };
      expect(properties.data, name).to.deep.equal({ $ref: `#/components/schemas/${resource}` });
    }
  });

  it('every response declares X-Request-Id, every authenticated 200 the rate limit, every 201 Location', () => {
    for (const { name, responses } of operations.filter((one) => !PUBLIC.includes(one.name))) {
      const isCounted = !WITHOUT_CREDENTIAL.includes(name);
      for (const { status, response } of responses) {
        const headers = Object.keys((response.headers ?? {}) as OpenApiNode);
        expect(headers, `${name} ${status}`).to.include('X-Request-Id');
        if (status === '200' && isCounted)
          expect(headers, `${name} ${status}`).to.include('X-RateLimit-Remaining');
        if (status === '201' && isCounted) expect(headers, `${name} ${status}`).to.include('Location');
      }
    }
  });
});

describe('openapi.json: security', () => {
  it('operations accept a key or a session; some require a session; public ones and sign-in need neither', () => {
    expect(root.security).to.deep.equal([{ bearerAuth: [] }, { sessionCookie: [] }]);
    for (const { name, operation } of operations) {
      const { security } = operation;
      if ([...PUBLIC, ...WITHOUT_CREDENTIAL].includes(name)) expect(security, name).to.deep.equal([]);
      else if (security !== undefined) expect(security, name).to.deep.equal([{ sessionCookie: [] }]);
    }
  });
});

describe('openapi.json and docs/specification.md', () => {
  const sections = readFileSync(join(PROJECT, 'docs/specification.md'), 'utf8').split(/^#+ /m);

  for (const [heading, schema] of [
    ['2.1 Invoice', 'Invoice'],
    ['2.2 WorkOrder', 'WorkOrder'],
    ['2.3 Customer', 'Customer'],
  ] as const)
    it(`${schema} publishes every field that the specification lists`, () => {
      const section = sections.find((text) => text.startsWith(`${heading}\n`)) ?? '';
      const specified = [...section.matchAll(/^\| (\w+) \| (?!Type)/gm)].map(([, field]) => field as string);
      expect(specified).to.include.members(['id', 'created_at', 'updated_at']);
      expect(listPublishedMembers(schema)).to.include.members(specified);
    });
});

describe('openapi.json: examples', () => {
  it('every request and response body has an example', () => {
    const missing = listDocumentedExamples().filter(({ value }) => value === undefined);
    expect(missing.map(({ where }) => where)).to.deep.equal([]);
    for (const { name, method, body, responses } of operations) {
      if ((method === 'POST' && name !== PHOTO_UPLOAD) || method === 'PATCH')
        expect(body, name).to.not.equal(undefined);
      for (const { status, response } of responses)
        expect(response.content, `${name} ${status}`).to.not.equal(undefined);
    }
  });

  it('every example matches its schema', () => {
    const problems = listDocumentedExamples().flatMap(({ where, schema, value }) =>
      findSchemaProblems(schema, value).map((problem) => `${where}: ${problem}`),
    );
    expect(problems).to.deep.equal([]);
  });

  it('every request example passes request validation without unknown members', () => {
    const schemas = resources.flatMap((resource) => Object.values(resource.schemas));
    for (const { name, body } of operations) {
      if (!body) continue;
      const component = String(body.schema.$ref).split('/').at(-1);
      const schema = schemas.find((candidate) => getClassName(candidate) === component) as Joi.Schema;
      expect(schema, `${name}: the Joi schema ${component}`).to.not.equal(undefined);
      expect(findUnknownFields(body.example, validate(schema, body.example)), name).to.deep.equal([]);
    }
  });
});

/** Keywords of JSON Schema that OpenAPI 3.0.3 does not support. */
const UNSUPPORTED_KEYWORDS =
  `$schema $id $anchor $defs $comment $dynamicRef $dynamicAnchor $vocabulary const contains minContains maxContains prefixItems
  additionalItems patternProperties propertyNames dependencies dependentRequired dependentSchemas unevaluatedItems unevaluatedProperties
  if then else examples contentEncoding contentMediaType contentSchema definitions`.split(/\s+/);

describe('openapi.json conforms to OpenAPI 3.0.3', () => {
  const schemas = listDocumentedSchemas();

  it('openapi.json declares version 3.0.3 and has no member of a later version', () => {
    expect(root.openapi).to.equal('3.0.3');
    for (const keyword of ['webhooks', 'jsonSchemaDialect']) expect(root).to.not.have.property(keyword);
    expect(root.components).to.not.have.property('pathItems');
    expect(root).to.deep.include({ servers: [{ url: '/api/v1' }] });
    expect((root.info as OpenApiNode).version).to.equal('1.0.0');
  });

  it('schemas use no keyword that OpenAPI 3.0.3 lacks', () => {
    const used = schemas.flatMap(({ where, schema }) =>
      UNSUPPORTED_KEYWORDS.filter((keyword) => keyword in schema).map((keyword) => `${where}: ${keyword}`),
    );
    expect(used).to.deep.equal([]);
  });

  it('schemas have one type, boolean exclusive bounds and one item schema per array', () => {
    for (const { where, schema } of schemas) {
      if ('type' in schema)
        expect(schema.type, where).to.be.oneOf(['string', 'number', 'integer', 'boolean', 'array', 'object']);
      for (const bound of ['exclusiveMinimum', 'exclusiveMaximum']) {
        if (bound in schema) expect(schema[bound], where).to.be.a('boolean');
      }
      if (schema.type === 'array') expect(schema.items, where).to.be.an('object');
    }
  });

  it('nullable needs a type, nullable enums list null, and $ref has no sibling', () => {
    for (const { where, schema } of schemas) {
      if ('nullable' in schema) expect(schema.type, where).to.be.a('string');
      if (schema.nullable === true && schema.enum) expect(schema.enum, where).to.include(null);
      if ('$ref' in schema) expect(Object.keys(schema), where).to.deep.equal(['$ref']);
    }
  });

  it('every reference resolves and every component is referenced', () => {
    const text = JSON.stringify(root);
    const references = new Set(
      [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, target]) => target as string),
    );
    for (const $ref of references) expect(() => resolveRef({ $ref }), $ref).to.not.throw();
    for (const kind of ['schemas', 'parameters', 'headers', 'responses', 'examples']) {
      for (const name of Object.keys(root.components[kind] ?? {})) {
        expect(references.has(`#/components/${kind}/${name}`), `${kind}/${name} is used`).to.equal(true);
      }
    }
  });
});

describe('files generated from the schemas', () => {
  it('docs/openapi.json is up to date: `npm run build` would not change it', () => {
    const fresh = renderOpenApiDocument(buildOpenApiDocument([join(PROJECT, 'api/routes/*.ts')]));
    expect(
      readFileSync(join(PROJECT, 'docs/openapi.json'), 'utf8') === fresh,
      'run `npm run build`',
    ).to.equal(true);
  });
});
