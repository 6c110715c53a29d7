import type { RemittanceCreate } from '../../shared/contracts/generated.js';
import { createValidationError } from '../../shared/contracts/schemas/validate.js';
import { readCsvLines } from '../../shared/resources/remittances/csv/read-lines.js';

/**
 * Replaces the CSV of a remittance by its lines.
 * @throws {AppError} 400 with each fault of the CSV, or if not exactly one of both is there
 */
export function expandRemittanceCsv({ csv, ...input }: RemittanceCreate): RemittanceCreate {
  if ((csv === undefined) === (input.lines === undefined)) {
    const message = csv === undefined ? 'lines or csv is required' : 'lines and csv exclude each other';
    throw createValidationError([
      { field: 'lines', code: csv === undefined ? 'required' : 'conflict', message },
    ]);
  }
  if (csv === undefined) return input;
  const read = readCsvLines(csv);
  if ('faults' in read) throw createValidationError(read.faults);
  return { ...input, lines: read.lines };
}
