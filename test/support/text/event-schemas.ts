import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

type Json = Record<string, unknown>;

const ajv = new Ajv2020({ strict: true, allErrors: true });
(formats as unknown as (ajv: Ajv2020) => void)(ajv);

const validators = new Map<string, ValidateFunction>();

/**
 * Lists how an event's body deviates from its published schema. The list includes members that the
 * schema does not name, although receivers must accept such members.
 */
export function findBodyProblems(schema: Json, body: unknown): string[] {
  const key = JSON.stringify(schema);
  const validate = validators.get(key) ?? ajv.compile(forbidAdditionalMembers(schema) as Json);
  validators.set(key, validate);
  if (validate(body)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath || 'body'} ${message} ${JSON.stringify(params)}`,
  );
}

/**
 * Returns a stricter copy of a schema. If an object in the schema lists its members, the copy
 * allows no other members in that object.
 */
function forbidAdditionalMembers(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(forbidAdditionalMembers);
  if (typeof node !== 'object' || node === null) return node;
  const rest = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, forbidAdditionalMembers(value)]),
  );
  return 'properties' in rest && !('additionalProperties' in rest)
    ? { ...rest, additionalProperties: false }
    : rest;
}
