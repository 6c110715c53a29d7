import { type CsvColumn, centsColumn, memberSql, plainColumn, textColumn } from './cells.js';

/*
 * The columns of the CSV files whose rows are the entries of a JSON list of a record. The sequence
 * is part of the public format: add new columns at the end of a file.
 */

/** Columns for each list of an inspection; `value` is one entry of the list. */
export const INSPECTION_LISTS = { items: itemColumns, defects: defectColumns, photos: photoColumns };

const positionColumns = (e: string) => [plainColumn(e, 'inspection_id'), plainColumn(e, 'position')];
const textMember = (e: string, name: string) => textColumn(e, name, memberSql(`${e}.value`, name));
const plainMember = (e: string, name: string) => plainColumn(e, name, memberSql(`${e}.value`, name));

/** Columns for the items of a rate card; `value` is one item. */
export function rateCardItemColumns(e: string): CsvColumn[] {
  const centsMember = (name: string) => centsColumn(e, name, `(${e}.value ->> '${name}')::bigint`);
  return [
    plainColumn(e, 'rate_card_id'),
    textColumn(e, 'rate_card_name'),
    plainColumn(e, 'rate_card_version'),
    plainColumn(e, 'position'),
    textMember(e, 'name'),
    plainMember(e, 'service_type'),
    plainMember(e, 'category'),
    plainMember(e, 'unit_type'),
    centsMember('unit_price_cents'),
    plainMember(e, 'included_quantity'),
    centsMember('minimum_cents'),
    plainMember(e, 'after_hours'),
    plainMember(e, 'taxable'),
  ];
}

function itemColumns(e: string): CsvColumn[] {
  return [
    ...positionColumns(e),
    textMember(e, 'key'),
    textMember(e, 'label'),
    plainMember(e, 'state'),
    textMember(e, 'note'),
  ];
}

function defectColumns(e: string): CsvColumn[] {
  return [
    ...positionColumns(e),
    plainMember(e, 'id'),
    textMember(e, 'component'),
    plainMember(e, 'severity'),
    plainMember(e, 'resolved_at'),
    textMember(e, 'resolved_by'),
  ];
}

function photoColumns(e: string): CsvColumn[] {
  return [
    ...positionColumns(e),
    plainMember(e, 'slot'),
    plainMember(e, 'phase'),
    textMember(e, 'url'),
    plainMember(e, 'taken_at'),
  ];
}
