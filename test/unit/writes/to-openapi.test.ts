import { expect } from 'chai';
import Joi from 'joi';
import {
  allRequired,
  cents,
  cursor,
  dateOrDateTime,
  dateTime,
  email,
  integer,
  limit,
  multilineText,
  slug,
  strictBoolean,
  text,
  uuid,
} from '../../../shared/contracts/schemas/fields.js';
import { getClassName, toOpenApi, toQueryParameters } from '../../../shared/contracts/schemas/to-openapi.js';

describe('toOpenApi: fields', () => {
  const cases: [string, Joi.Schema, object][] = [
    ['text', text(64), { type: 'string', maxLength: 64 }],
    ['text over lines', multilineText(500), { type: 'string', maxLength: 500 }],
    ['a nullable text', text(64).allow(null), { type: 'string', maxLength: 64, nullable: true }],
    ['an id', uuid(), { type: 'string', format: 'uuid' }],
    [
      'an address',
      email(),
      { type: 'string', format: 'email', maxLength: 254, example: 'billing@example.com' },
    ],
    ['an instant', dateTime(), { type: 'string', format: 'date-time', example: '2026-11-21T14:30:00Z' }],
    ['a date or an instant', dateOrDateTime(), { type: 'string', example: '2026-11-01' }],
    ['an integer', integer(-5, 5), { type: 'integer', minimum: -5, maximum: 5 }],
    ['cents', cents(), { type: 'integer', example: 12_500 }],
    ['a flag', strictBoolean().default(false), { type: 'boolean', default: false }],
    [
      'a page size',
      limit(200),
      { type: 'integer', minimum: 1, maximum: 200, default: 50, description: 'Page size' },
    ],
    [
      'a cursor',
      cursor(),
      { type: 'string', maxLength: 500, description: '`data.cursor` of the page before' },
    ],
    ['a number', Joi.number().min(1).max(2), { type: 'number', minimum: 1, maximum: 2 }],
    ['a web address', Joi.string().uri(), { type: 'string', format: 'uri' }],
    ['a fixed length', Joi.string().length(3), { type: 'string', minLength: 3, maxLength: 3 }],
    ['a pattern', Joi.string().pattern(/^a\/b$/), { type: 'string', pattern: '^a\\/b$' }],
    ['anything', Joi.any(), {}],
  ];
  for (const [name, schema, expected] of cases) {
    it(`toOpenApi converts ${name}`, () => {
      expect(toOpenApi(schema)).to.deep.equal(expected);
    });
  }

  it('an exclusive minimum becomes a bound and a boolean, as OpenAPI 3.0.3 requires', () => {
    expect(toOpenApi(Joi.number().greater(0))).to.deep.equal({
      type: 'number',
      minimum: 0,
      exclusiveMinimum: true,
    });
  });

  it('a nullable enum lists null among its values', () => {
    expect(toOpenApi(Joi.string().valid('a', 'b'))).to.deep.equal({ type: 'string', enum: ['a', 'b'] });
    expect(toOpenApi(Joi.string().valid('a').allow(null))).to.deep.equal({
      type: 'string',
      enum: ['a', null],
      nullable: true,
    });
  });

  it('values that are only allowed in addition do not become an enum', () => {
    expect(toOpenApi(Joi.string().allow('', null))).to.deep.equal({ type: 'string', nullable: true });
  });

  it('a default of false or 0 is kept', () => {
    expect(toOpenApi(Joi.boolean().default(false))).to.deep.equal({ type: 'boolean', default: false });
    expect(toOpenApi(Joi.number().default(0))).to.deep.equal({ type: 'number', default: 0 });
  });

  it('the pattern against control characters is not published, the pattern of a slug is', () => {
    expect(toOpenApi(text(5))).to.not.have.property('pattern');
    expect(toOpenApi(slug(['tow'])))
      .to.have.property('pattern')
      .that.matches(/\[a-z\]\[a-z0-9_\]/);
  });
});

describe('toOpenApi: objects and arrays', () => {
  const line = Joi.object({ name: Joi.string() }).meta({ className: 'Line' });

  it('required and optional members are distinguished', () => {
    const schema = Joi.object({ a: Joi.string().required(), b: Joi.number() });
    expect(toOpenApi(schema)).to.deep.equal({
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'string' }, b: { type: 'number' } },
    });
    expect(toOpenApi(allRequired({ a: Joi.any(), b: Joi.any() }))).to.deep.include({ required: ['a', 'b'] });
  });

  it('members of any name become additionalProperties, with their maximum number', () => {
    const schema = Joi.object()
      .pattern(/^reserved$/, Joi.forbidden())
      .pattern(/^[a-z]+$/, Joi.string().max(5))
      .max(3);
    expect(toOpenApi(schema)).to.deep.equal({
      type: 'object',
      additionalProperties: { type: 'string', maxLength: 5 },
      maxProperties: 3,
    });
    expect(() => toOpenApi(Joi.object().min(1))).to.throw('no OpenAPI form for the rule min');
  });

  it('a named schema becomes a reference, as a member and in a list', () => {
    const schema = Joi.object({ first: line, all: Joi.array().items(line).min(1).max(9).unique() });
    expect(toOpenApi(schema).properties).to.deep.equal({
      first: { $ref: '#/components/schemas/Line' },
      all: {
        type: 'array',
        items: { $ref: '#/components/schemas/Line' },
        minItems: 1,
        maxItems: 9,
        uniqueItems: true,
      },
    });
  });

  it('a nullable named schema is inlined, because 3.0.3 allows nothing beside $ref', () => {
    const { properties } = toOpenApi(Joi.object({ first: line.allow(null) })) as {
      properties: Record<string, object>;
    };
    expect(properties.first).to.deep.equal({
      type: 'object',
      properties: { name: { type: 'string' } },
      nullable: true,
    });
  });

  it('the named schema itself is inlined, not a reference to itself', () => {
    expect(toOpenApi(line)).to.deep.equal({ type: 'object', properties: { name: { type: 'string' } } });
  });

  it('an open object allows all members', () => {
    expect(toOpenApi(Joi.object({}))).to.deep.equal({ type: 'object', additionalProperties: true });
    expect(toOpenApi(Joi.object({ a: Joi.any() }).unknown(true))).to.deep.include({
      additionalProperties: true,
    });
  });
});

describe('toOpenApi: unsupported schemas', () => {
  it('toOpenApi throws for an unsupported type, rule or list instead of losing it', () => {
    for (const [name, schema] of Object.entries({
      date: Joi.date(),
      binary: Joi.binary(),
      alternatives: Joi.alternatives(Joi.string(), Joi.number()),
      'rule of a string': Joi.string().hex(),
      'pattern with a flag': Joi.string().pattern(/^a$/i),
      'inverted pattern': Joi.string().pattern(/^a$/, { invert: true }),
      'rule of a number': Joi.number().multiple(5),
      'upper bound that is out': Joi.number().less(5),
      'list of two kinds': Joi.array().items(Joi.string(), Joi.number()),
      'list of anything': Joi.array(),
    })) {
      expect(() => toOpenApi(schema), name).to.throw();
      expect(
        () => toOpenApi(Joi.object({ deep: Joi.object({ member: schema }) })),
        `${name}, deep inside`,
      ).to.throw();
    }
  });
});

describe('component names of schemas', () => {
  it('the component name is read from className, not from other metadata', () => {
    expect(getClassName(Joi.object({}).meta({ format: 'x' }).meta({ className: 'Line' }))).to.equal('Line');
    expect(getClassName(Joi.object({}).meta({ format: 'x' }))).to.equal(undefined);
  });

  it('a schema derived from a named one can have its own component name', () => {
    const line = Joi.object({}).meta({ className: 'Line' });
    expect(getClassName(line.keys({ a: Joi.any() }).meta({ className: 'Longer' }))).to.equal('Longer');
    expect(getClassName(line.allow(null))).to.equal('Line');
  });
});

describe('query parameters', () => {
  it('each key becomes a query parameter, with description and example beside its schema', () => {
    const query = Joi.object({
      status: Joi.string().valid('draft').required(),
      since: dateOrDateTime().description('Inclusive'),
      limit: limit(100),
    });
    expect(toQueryParameters(query)).to.deep.equal([
      { name: 'status', in: 'query', required: true, schema: { type: 'string', enum: ['draft'] } },
      {
        name: 'since',
        in: 'query',
        required: false,
        description: 'Inclusive',
        schema: { type: 'string' },
        example: '2026-11-01',
      },
      {
        name: 'limit',
        in: 'query',
        required: false,
        description: 'Page size',
        schema: { type: 'integer', minimum: 1, maximum: 100, default: 50 },
      },
    ]);
  });
});
