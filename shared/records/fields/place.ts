import Joi from 'joi';
import { jsonObject } from '../../contracts/resource.js';
import { allRequired, coordinate, multilineText } from '../../contracts/schemas/fields.js';
import type { Field } from './field.js';

interface PlaceInput {
  address?: string | null;
  lat?: number | null;
  lng?: number | null;
}

/** A field whose value is a place. `address` is the same value as the field `<name>_location`. */
export interface Place extends Field {
  /**
   * Returns the columns that a request sets. Null clears the place. `location` is the value of
   * `<name>_location` in the same request.
   */
  toColumns: (value: PlaceInput | null | undefined, location: unknown) => Record<string, unknown>;
}

/**
 * Builds a field whose value is a place. The name is part of the column names in the table and in
 * the CSV file: with `pickup`, `lat` becomes `pickup_lat`.
 */
export function definePlace(name: string, options: Partial<Field> = {}): Place {
  const [address, lat, lng] = [`${name}_location`, `${name}_lat`, `${name}_lng`];
  const nullableNumber = () => Joi.number().allow(null);
  return {
    input: Joi.object({
      address: multilineText(500).allow(null).description(`Also sets ${address} when that is absent`),
      lat: coordinate(90).allow(null).example(40.7128),
      lng: coordinate(180).allow(null).example(-74.006),
    }).allow(null),
    output: allRequired({ address: Joi.string().allow(null), lat: nullableNumber(), lng: nullableNumber() }),
    sql: (alias) =>
      jsonObject(alias, [
        { name: 'address', sql: `${alias}.${address}` },
        { name: 'lat', sql: `${alias}.${lat}` },
        { name: 'lng', sql: `${alias}.${lng}` },
      ]),
    columns: { [lat]: 'double precision', [lng]: 'double precision' },
    csv: [
      { name: `${name}_address`, kind: 'text', sql: (alias) => `${alias}.${address}` },
      { name: lat, kind: 'plain' },
      { name: lng, kind: 'plain' },
    ],
    freeText: ['address'],
    toColumns: (value, location) => {
      if (value === null) return { [address]: null, [lat]: null, [lng]: null };
      return {
        ...(value?.lat !== undefined && { [lat]: value.lat }),
        ...(value?.lng !== undefined && { [lng]: value.lng }),
        // The field `<name>_location` takes precedence over `address`, because the specification
        // defines only that field.
        ...(value?.address !== undefined && location === undefined && { [address]: value.address }),
      };
    },
    ...options,
  };
}
