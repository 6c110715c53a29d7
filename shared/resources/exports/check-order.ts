import Joi from 'joi';
import type { ExportCreate } from '../../contracts/generated.js';
import { validate } from '../../contracts/validate.js';
import { AppError, type ErrorDetail } from '../../platform/errors.js';
import { FILTERS } from './filters.js';

/**
 * What no single member tells: whether they go together. @returns the order, its filters converted as the list's own are
 * @throws {AppError} 400 with every fault
 */
export function checkOrder(order: ExportCreate): ExportCreate {
  const { filters, faults } = orderFaults(order);
  refuseFaults(faults);
  return { ...order, filters };
}

/** What {@link checkOrder} would refuse, and the filters as far as they could be converted. */
export function orderFaults(order: ExportCreate): {
  filters: ExportCreate['filters'];
  faults: ErrorDetail[];
} {
  const { filters, details } = checkFilters(order);
  return { filters, faults: [...details, ...combinationFaults(order)] };
}

/** @throws {AppError} 400 with all of them, if there are any */
export function refuseFaults(faults: ErrorDetail[]): void {
  if (faults.length === 0) return;
  const [first] = faults;
  const more = faults.length === 1 ? '.' : `, and ${faults.length - 1} more; see details.`;
  throw new AppError('validation_error', `${first?.message}${more}`, { details: faults });
}

function checkFilters({ resource, filters }: ExportCreate): {
  filters: ExportCreate['filters'];
  details: ErrorDetail[];
} {
  const known = FILTERS[resource];
  const names = Object.keys(filters);
  const details = names
    .filter((name) => !known.has(name))
    .map((name) =>
      fault(`filters.${name}`, 'unknown', `is no filter of ${resource === 'all' ? 'everything' : resource}`),
    );
  const own = Object.fromEntries(Object.entries(filters).filter(([name]) => known.has(name)));
  const schema = Joi.object({ filters: Joi.object(Object.fromEntries(known)) });
  try {
    const checked = validate<{ filters: ExportCreate['filters'] }>(schema, { filters: own });
    return { filters: checked.filters, details };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { filters, details: [...details, ...(error.details ?? [])] };
  }
}

function combinationFaults(order: ExportCreate): ErrorDetail[] {
  const { resource, format, include, compression, bom, decimals } = order;
  const isDump = format === 'dump';
  const isZip = resource === 'all' || include.length > 0;
  const faults: ErrorDetail[] = [];
  if (isDump && resource !== 'all') faults.push(fault('resource', 'only', 'must be all when format is dump'));
  if (include.length > 0 && (isDump || resource !== 'invoices'))
    faults.push(fault('include', 'not_applicable', 'is for invoices as csv, json or ndjson only'));
  if (compression === 'none' && (isDump || isZip))
    faults.push(
      fault('compression', 'not_applicable', 'must be gzip: a zip and a dump are always compressed'),
    );
  if (bom && format !== 'csv') faults.push(fault('bom', 'not_applicable', 'is for csv only'));
  if (decimals && format !== 'csv') faults.push(fault('decimals', 'not_applicable', 'is for csv only'));
  return faults;
}

/** One fault. @param what goes on after the field's name */
export function fault(field: string, code: string, what: string): ErrorDetail {
  return { field, code, message: `${field} ${what}` };
}
