import { expect } from 'chai';
import Joi from 'joi';
import {
  allRequired,
  cents,
  cursor,
  dateOrDateTime,
  dateTime,
  email,
  flag,
  integer,
  limit,
  multilineText,
  slug,
  text,
  uuid,
} from '../../shared/contracts/fields.js';
import { classNameOf, toOpenApi, toParameters } from '../../shared/contracts/to-openapi.js';

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
    ['a flag', flag().default(false), { type: 'boolean', default: false }],
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
    it(`writes ${name}`, () => {
      expect(toOpenApi(schema)).to.deep.equal(expected);
    });
  }

  it('writes an exclusive minimum the 3.0.3 way: a bound and a flag', () => {
    expect(toOpenApi(Joi.number().greater(0))).to.deep.equal({
      type: 'number',
      minimum: 0,
      exclusiveMinimum: true,
    });
  });

  it('lists null among the values of a nullable enum, or null would not be one', () => {
    expect(toOpenApi(Joi.string().valid('a', 'b'))).to.deep.equal({ type: 'string', enum: ['a', 'b'] });
    expect(toOpenApi(Joi.string().valid('a').allow(null))).to.deep.equal({
      type: 'string',
      enum: ['a', null],
      nullable: true,
    });
  });

  it('takes values that are merely allowed for no enum', () => {
    expect(toOpenApi(Joi.string().allow('', null))).to.deep.equal({ type: 'string', nullable: true });
  });

  it('keeps a false default: it is a default', () => {
    expect(toOpenApi(Joi.boolean().default(false))).to.deep.equal({ type: 'boolean', default: false });
    expect(toOpenApi(Joi.number().default(0))).to.deep.equal({ type: 'number', default: 0 });
  });

  it('publishes no pattern that only refuses control characters, and the pattern of a slug', () => {
    expect(toOpenApi(text(5))).to.not.have.property('pattern');
    expect(toOpenApi(slug(['tow'])))
      .to.have.property('pattern')
      .that.matches(/\[a-z\]\[a-z0-9_\]/);
  });
});

describe('toOpenApi: objects and arrays', () => {
  const line = Joi.object({ name: Joi.string() }).meta({ className: 'Line' });

  it('writes required and optional members', () => {
    const schema = Joi.object({ a: Joi.string().required(), b: Joi.number() });
    expect(toOpenApi(schema)).to.deep.equal({
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'string' }, b: { type: 'number' } },
    });
    expect(toOpenApi(allRequired({ a: Joi.any(), b: Joi.any() }))).to.deep.include({ required: ['a', 'b'] });
  });

  it('writes members of any name by what they are, their number too', () => {
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

  it('refers to a named schema, in a member and in a list', () => {
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

  it('writes a nullable named schema out: in 3.0.3 nothing may stand beside $ref', () => {
    const { properties } = toOpenApi(Joi.object({ first: line.allow(null) })) as {
      properties: Record<string, object>;
    };
    expect(properties.first).to.deep.equal({
      type: 'object',
      properties: { name: { type: 'string' } },
      nullable: true,
    });
  });

  it('writes the named schema itself out, not a reference to itself', () => {
    expect(toOpenApi(line)).to.deep.equal({ type: 'object', properties: { name: { type: 'string' } } });
  });

  it('lets every member into an open object', () => {
    expect(toOpenApi(Joi.object({}))).to.deep.equal({ type: 'object', additionalProperties: true });
    expect(toOpenApi(Joi.object({ a: Joi.any() }).unknown(true))).to.deep.include({
      additionalProperties: true,
    });
  });
});

describe('toOpenApi: what it cannot say', () => {
  it('throws for a kind, a rule or a list it has no form for, so that nothing is lost unseen', () => {
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

describe('classNameOf', () => {
  it('reads the name of a component, and nothing from other notes', () => {
    expect(classNameOf(Joi.object({}).meta({ format: 'x' }).meta({ className: 'Line' }))).to.equal('Line');
    expect(classNameOf(Joi.object({}).meta({ format: 'x' }))).to.equal(undefined);
  });

  it('of a schema made of a named one is its own', () => {
    const line = Joi.object({}).meta({ className: 'Line' });
    expect(classNameOf(line.keys({ a: Joi.any() }).meta({ className: 'Longer' }))).to.equal('Longer');
    expect(classNameOf(line.allow(null))).to.equal('Line');
  });
});

describe('toParameters', () => {
  it('writes one query parameter per key, with description and example beside its schema', () => {
    const query = Joi.object({
      status: Joi.string().valid('draft').required(),
      since: dateOrDateTime().description('Inclusive'),
      limit: limit(100),
    });
    expect(toParameters(query)).to.deep.equal([
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
