import type { ListPage } from '../../../shared/integrations/contract/telematics.js';
import { VendorError } from '../../../shared/integrations/contract/vendor-error.js';
import { newId } from '../../../shared/platform/ids.js';
import { toStorable } from '../../../shared/platform/storable-text.js';
import { DRIVERS } from '../../../shared/resources/connection-drivers/driver-kind.js';
import { VEHICLES } from '../../../shared/resources/connection-vehicles/vehicle-kind.js';
import { type LinkedTable, markRemoved, storeListed } from '../../../shared/sync/listed/listed-rows.js';
import { type DueStream, storeStreamProgress } from '../../../shared/sync/stream-rows.js';
import { recordRun } from '../records/store-changes.js';
import type { Step } from '../vendor/step.js';
import { getTelematics } from './get-telematics.js';

/** The place in a read of the vendor's list. */
interface Place {
  /** Identifies the read. */
  listId: string;
  next: string;
  /**
   * `requests` at the start of the read. If the stream is made due during any page, the list is
   * read again. A read that an earlier version began has none.
   */
  requests?: number;
}

interface VendorList<Listed> {
  listed: LinkedTable;
  readPage: (next: string | null) => Promise<ListPage<Listed>>;
  /** Returns the columns that the vendor's list fills. */
  toColumns: (record: Listed) => object;
}

export async function readVehicles(step: Step, stream: DueStream): Promise<void> {
  const connection = await step.open();
  await readListPage(step, stream, {
    listed: VEHICLES,
    readPage: (next) => getTelematics(step).listVehicles(connection, next),
    toColumns: ({ dutyClass: duty_class, ...vehicle }) => ({ ...vehicle, duty_class }),
  });
}

/**
 * Credentials that an account entered before drivers were read may lack the right to read them. The
 * other streams then go on, and the drivers are tried again at the usual interval.
 */
export async function readDrivers(step: Step, stream: DueStream, startedAt: Date): Promise<void> {
  const connection = await step.open();
  try {
    await readListPage(step, stream, {
      listed: DRIVERS,
      readPage: (next) => getTelematics(step).listDrivers(connection, next),
      toColumns: (driver) => driver,
    });
  } catch (error) {
    if (!(error instanceof VendorError) || error.code !== 'http_403') throw error;
    await step.finish({
      error: null,
      store(tx) {
        const { stream: name, every_seconds: seconds, requests } = stream;
        storeStreamProgress(tx, step.connection, {
          stream: name,
          cursor: null,
          inMs: seconds * 1000,
          requests,
        });
        recordRun(tx, step, { stream: name, startedAt, state: 'failed', error: error.message });
      },
    });
  }
}

/**
 * Reads one page of a vendor's list. After the last page, the records that the read did not find
 * count as removed.
 */
async function readListPage<Listed extends { externalId: string }>(
  step: Step,
  stream: DueStream,
  { listed, readPage, toColumns }: VendorList<Listed>,
): Promise<void> {
  const place = stream.cursor === null ? undefined : (JSON.parse(stream.cursor) as Place);
  const { listId = newId(), next: from = null, requests = stream.requests } = place ?? {};
  const { records, next } = toStorable(await readPage(from));
  const rows = records.map((record) => ({ ...toColumns(record), external_id: record.externalId }));
  await step.finish({
    async store(tx) {
      await storeListed(tx, listed, step.connection, { records: rows, listId });
      if (next === null) markRemoved(tx, listed, step.connection, listId);
      storeStreamProgress(tx, step.connection, {
        stream: stream.stream,
        cursor: next === null ? null : JSON.stringify({ listId, next, requests } satisfies Place),
        inMs: next === null ? stream.every_seconds * 1000 : 0,
        requests,
      });
    },
  });
}
