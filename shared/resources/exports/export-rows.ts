import type { ExportStatus } from '../../contracts/vocabulary.js';
import type { Row } from '../../platform/postgres.js';
import type { PlacesOf } from '../places.js';
import type { RecordRef } from '../sets.js';
import { MOST_UNFINISHED } from './limits.js';

/** A row of exports, with its values as in JSON. */
export interface ExportRow extends Row, RecordRef {
  resource: string;
  format: string;
  status: ExportStatus;
  attempts: number;
  tries: number;
  expires_at: string | null;
}

/** The limit on unfinished exports of an account. */
export const UNFINISHED: PlacesOf = {
  table: 'exports',
  counted: "t.status in ('queued', 'running')",
  most: MOST_UNFINISHED,
  refusal: `${MOST_UNFINISHED} exports of this account are not finished yet. Wait for one to complete, or cancel one.`,
};
