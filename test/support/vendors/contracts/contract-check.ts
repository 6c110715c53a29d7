import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import {
  type Contract,
  type ContractFile,
  loadContract,
  type Operation,
  type Schema,
} from './load-contract.js';

export interface CheckedCall {
  method: string;
  /** The path without the query string. */
  path: string;
  query?: Record<string, unknown>;
  body?: unknown;
}

/** What {@link ContractCheck.complete} needs of a schema: its members, and how to blank them. */
interface Shape {
  properties: Record<string, Schema>;
  blanks: [name: string, blank: () => unknown][];
}

/** Checks requests to a vendor, and its responses, against the vendor's own contract. */
export class ContractCheck {
  private readonly ajv: Ajv;
  private readonly validators = new Map<string, ValidateFunction>();
  // Loads of thousands of calls run beside the product on the same cores. So nothing that follows
  // from the contract alone is computed for each call.
  private readonly validatorsBySchema = new WeakMap<Schema, ValidateFunction>();
  private readonly querySchemas = new WeakMap<Operation, Schema>();
  private readonly shapes = new WeakMap<Schema, Shape>();
  private readonly namedSchemas = new Map<string, Schema>();
  private readonly routes: { pattern: RegExp; path: string; operations: Record<string, Operation> }[];

  private constructor(
    private readonly name: string,
    private readonly contract: Contract,
    private readonly pathPrefix: string,
  ) {
    // The optimizer takes longer than all checks of a test run.
    const code = { optimize: false };
    this.ajv = new Ajv({ strict: false, allErrors: true, coerceTypes: true, logger: false, code });
    (addFormats as unknown as (ajv: Ajv) => void)(this.ajv);
    const schemas = Object.fromEntries(
      Object.entries(contract.schemas).map(([name, schema]) => [name, toJsonSchema(schema)]),
    );
    this.ajv.addSchema({ $id: name, components: { schemas } });
    this.routes = Object.entries(contract.paths)
      .map(([path, operations]) => ({ pattern: toPattern(path), path, operations }))
      // Compare a path first with the templates that have the fewest parameters.
      .sort((a, b) => a.path.split('{').length - b.path.split('{').length);
  }

  /** Returns undefined if the vendors' contracts are not on this machine. */
  static open(vendor: string, files: readonly ContractFile[], pathPrefix = ''): ContractCheck | undefined {
    const contract = loadContract(vendor, files);
    return contract && new ContractCheck(vendor, contract, pathPrefix);
  }

  /** Lists the ways in which a request violates the contract. */
  checkRequest({ method, path, query = {}, body }: CheckedCall): string[] {
    const operation = this.findOperation(method, path);
    if (!operation) return [`${method} ${path} is not in the contract`];
    return [...this.checkQuery(operation, query), ...this.checkBody(`${method} ${path}`, operation, body)];
  }

  /** Lists the ways in which a response violates the contract. */
  checkResponse({ method, path, body }: CheckedCall, status: number): string[] {
    const operation = this.findOperation(method, path);
    if (!operation) return [`${method} ${path} is not in the contract`];
    const { responses } = operation;
    const response = responses[String(status)] ?? responses.default;
    const schema = Object.values(response?.content ?? {})[0]?.schema;
    return schema ? this.validate(schema, body, `${status} of ${method} ${path}`) : [];
  }

  /** Lists the ways in which a value, such as a webhook, violates a schema. */
  checkSchema(name: string, value: unknown): string[] {
    const schema = this.namedSchemas.get(name) ?? { $ref: `#/components/schemas/${name}` };
    this.namedSchemas.set(name, schema);
    return this.validate(schema, value, name);
  }

  /**
   * Adds the missing members that the schema requires, also in nested objects. An added member is
   * null or empty.
   */
  complete(schemaName: string, given: Record<string, unknown>): Record<string, unknown> {
    const schema = this.contract.schemas[schemaName];
    if (!schema) throw new Error(`the contract of ${this.name} has no schema ${schemaName}`);
    return this.fill(schema, given) as Record<string, unknown>;
  }

  private fill(schema: Schema, given: unknown): unknown {
    if (typeof given !== 'object' || given === null || Array.isArray(given)) return given;
    const { properties, blanks } = this.findShape(schema);
    const filled: Record<string, unknown> = {};
    for (const [name, blank] of blanks) filled[name] = blank();
    for (const [name, value] of Object.entries(given))
      filled[name] = this.fill(properties[name] ?? {}, value);
    return filled;
  }

  private findShape(schema: Schema): Shape {
    const known = this.shapes.get(schema);
    if (known) return known;
    const { properties = {}, required = [] } = this.resolve(schema);
    const blanks = required.map((name): [string, () => unknown] => {
      const blank = this.blank(properties[name] ?? {});
      // Each object gets its own nested members, because the double changes them.
      return [name, typeof blank === 'object' && blank !== null ? () => structuredClone(blank) : () => blank];
    });
    const shape = { properties, blanks };
    this.shapes.set(schema, shape);
    return shape;
  }

  private blank(schema: Schema): unknown {
    if (schema.nullable) return null;
    if (Array.isArray(schema.enum)) return schema.enum[0];
    const [first] = (schema.allOf ?? schema.anyOf ?? []) as Schema[];
    if (first) return this.blank(first);
    if (typeof schema.$ref === 'string') return this.complete(schema.$ref.split('/').at(-1) as string, {});
    if (schema.type === 'object') {
      const required = schema.required ?? [];
      return Object.fromEntries(required.map((name) => [name, this.blank(schema.properties?.[name] ?? {})]));
    }
    const blanks: Record<string, unknown> = { string: '', integer: 0, number: 0, boolean: false, array: [] };
    return blanks[String(schema.type)] ?? null;
  }

  private findOperation(method: string, path: string): Operation | undefined {
    const own = path.startsWith(this.pathPrefix) ? path.slice(this.pathPrefix.length) : path;
    const name = method.toLowerCase();
    return this.routes.find(({ pattern, operations }) => pattern.test(own) && operations[name])?.operations[
      name
    ];
  }

  private checkQuery(operation: Operation, query: Record<string, unknown>): string[] {
    const schema = this.querySchemas.get(operation) ?? buildQuerySchema(operation);
    this.querySchemas.set(operation, schema);
    return this.validate(schema, query, 'query');
  }

  private checkBody(label: string, { requestBody }: Operation, body: unknown): string[] {
    if (body === undefined) return requestBody?.required ? [`${label} has no body`] : [];
    const schema = Object.values(requestBody?.content ?? {})[0]?.schema;
    if (!schema) return Object.keys(Object(body)).length > 0 ? [`${label} takes no body`] : [];
    return [...this.validate(schema, body, 'body'), ...this.listUnknown(schema, body, 'body')];
  }

  /** Lists the members that the schema does not name, because the vendor would refuse them. */
  private listUnknown(schema: Schema, value: unknown, place: string): string[] {
    const { properties, additionalProperties } = this.resolve(schema);
    if (Array.isArray(value)) {
      const items = this.resolve(schema).items as Schema | undefined;
      return items ? value.flatMap((item, index) => this.listUnknown(items, item, `${place}[${index}]`)) : [];
    }
    if (typeof value !== 'object' || value === null || !properties || additionalProperties) return [];
    return Object.entries(value).flatMap(([name, member]) => {
      const known = properties[name];
      return known
        ? this.listUnknown(known, member, `${place}.${name}`)
        : [`${place}.${name} is not in the contract`];
    });
  }

  private resolve(schema: Schema): Schema {
    const [only, ...others] = (schema.allOf ?? []) as Schema[];
    if (only && others.length === 0) return this.resolve(only);
    if (typeof schema.$ref !== 'string') return schema;
    return this.resolve(this.contract.schemas[schema.$ref.split('/').at(-1) as string] ?? {});
  }

  private validate(schema: Schema, value: unknown, label: string): string[] {
    const validator = this.findValidator(schema);
    // Ajv converts texts to numbers in place, so it gets a copy, as the other side would parse it.
    if (validator(value === undefined ? undefined : JSON.parse(JSON.stringify(value)))) return [];
    return (validator.errors ?? []).map((error) => describeError(label, error));
  }

  private findValidator(schema: Schema): ValidateFunction {
    const known = this.validatorsBySchema.get(schema);
    if (known) return known;
    const key = JSON.stringify(schema);
    const validator =
      this.validators.get(key) ?? this.ajv.compile(this.withAbsoluteRefs(toJsonSchema(schema)) as object);
    this.validators.set(key, validator);
    this.validatorsBySchema.set(schema, validator);
    return validator;
  }

  private withAbsoluteRefs(schema: unknown): unknown {
    const text = JSON.stringify(schema);
    return JSON.parse(text.replaceAll('"#/components/', `"${this.name}#/components/`));
  }
}

function describeError(label: string, { instancePath, message, params }: ErrorObject): string {
  const { additionalProperty } = params as { additionalProperty?: string };
  return `${label}${instancePath} ${message}${additionalProperty ? ` (${additionalProperty})` : ''}`;
}

function toPattern(path: string): RegExp {
  const source = path.split(/\{[^}]+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${source.join('[^/]+')}$`);
}

/**
 * Turns a schema of OpenAPI 3.0 into JSON Schema: a `nullable` schema also allows null. An id that
 * Stripe can expand may also be an object.
 */
function toJsonSchema(schema: unknown, isMap = false): unknown {
  if (Array.isArray(schema)) return schema.map((one) => toJsonSchema(one));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { nullable, 'x-expands-to': expands, ...rest } = schema as Schema;
  const isSchema = !isMap;
  const converted = Object.fromEntries(
    Object.entries(isSchema ? rest : (schema as Schema)).map(([name, value]) => [
      name,
      name === 'enum' || name === 'example' || name === 'default'
        ? value
        : toJsonSchema(value, isSchema && name === 'properties'),
    ]),
  );
  if (!isSchema) return converted;
  const choices = [
    converted,
    ...(expands ? [{ type: 'object' }] : []),
    ...(nullable ? [{ type: 'null' }] : []),
  ];
  return choices.length > 1 ? { anyOf: choices } : converted;
}

function buildQuerySchema({ parameters = [] }: Operation): Schema {
  const known = parameters.filter((parameter) => parameter.in === 'query');
  const properties = Object.fromEntries(known.map(({ name, schema }) => [name, schema]));
  const required = known.filter((parameter) => parameter.required).map(({ name }) => name);
  return { type: 'object', properties, required, additionalProperties: false } as Schema;
}
