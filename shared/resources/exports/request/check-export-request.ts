import Joi from 'joi';
import type { ExportCreate } from '../../../contracts/generated.js';
import { validate } from '../../../contracts/schemas/validate.js';
import { AppError, type ErrorDetail } from '../../../platform/errors.js';
import { EXPORT_FILTERS } from './filters.js';

/**
 * The schema that validates the filters of each resource. The filters are inside a member
 * `filters`, so that error messages show the path from the request: `filters.status`.
 */
const SCHEMAS = Object.fromEntries(
  Object.entries(EXPORT_FILTERS).map(([resource, filters]) => [
    resource,
    Joi.object({ filters: Joi.object(Object.fromEntries(filters)) }),
  ]),
) as Record<ExportCreate['resource'], Joi.ObjectSchema>;

/**
 * Checks the rules that involve several members of the request. Converts the filters as the list
 * endpoint does.
 * @throws {AppError} 400 with every validation error
 */
export function checkExportRequest(request: ExportCreate): ExportCreate {
  const { filters, errors } = findExportRequestErrors(request);
  throwValidationErrors(errors);
  return { ...request, filters };
}

/**
 * Does the same as {@link checkExportRequest}, but returns the errors instead of throwing. If the
 * value of a filter is invalid, returns the filters unconverted.
 */
export function findExportRequestErrors(request: ExportCreate): {
  filters: ExportCreate['filters'];
  errors: ErrorDetail[];
} {
  const { filters, details } = convertFilters(request);
  return { filters, errors: [...details, ...findCombinationErrors(request)] };
}

/** @throws {AppError} 400 with all errors, if the list contains any */
export function throwValidationErrors(errors: ErrorDetail[]): void {
  if (errors.length === 0) return;
  const [first] = errors;
  const more = errors.length === 1 ? '.' : `, and ${errors.length - 1} more; see details.`;
  throw new AppError('validation_error', `${first?.message}${more}`, { details: errors });
}

function convertFilters({ resource, filters }: ExportCreate): {
  filters: ExportCreate['filters'];
  details: ErrorDetail[];
} {
  const allowed = EXPORT_FILTERS[resource];
  const names = Object.keys(filters);
  const details = names
    .filter((name) => !allowed.has(name))
    .map((name) =>
      createFieldError(
        `filters.${name}`,
        'unknown',
        `is not a filter of ${resource === 'all' ? 'everything' : resource}`,
      ),
    );
  const knownFilters = Object.fromEntries(Object.entries(filters).filter(([name]) => allowed.has(name)));
  try {
    const checked = validate<{ filters: ExportCreate['filters'] }>(SCHEMAS[resource], {
      filters: knownFilters,
    });
    return { filters: checked.filters, details };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { filters, details: [...details, ...(error.details ?? [])] };
  }
}

function findCombinationErrors(request: ExportCreate): ErrorDetail[] {
  const { resource, format, include, compression, bom, decimals } = request;
  const isDump = format === 'dump';
  const isZip = resource === 'all' || include.length > 0;
  const errors: ErrorDetail[] = [];
  if (isDump && resource !== 'all')
    errors.push(createFieldError('resource', 'only', 'must be all when format is dump'));
  if (include.length > 0 && (isDump || resource !== 'invoices'))
    errors.push(
      createFieldError('include', 'not_applicable', 'applies only to invoices as csv, json or ndjson'),
    );
  if (compression === 'none' && (isDump || isZip))
    errors.push(
      createFieldError(
        'compression',
        'not_applicable',
        'must be gzip: a zip and a dump are always compressed',
      ),
    );
  if (bom && format !== 'csv') errors.push(createFieldError('bom', 'not_applicable', 'applies only to csv'));
  if (decimals && format !== 'csv')
    errors.push(createFieldError('decimals', 'not_applicable', 'applies only to csv'));
  return errors;
}

/** @param problem the rest of the error message, after the name of the field */
export function createFieldError(field: string, code: string, problem: string): ErrorDetail {
  return { field, code, message: `${field} ${problem}` };
}
