import { READ } from '../../shared/records/resource-table.js';
import { updateRemittanceLine } from '../../shared/resources/remittance-lines/commands.js';
import { listRemittanceLines } from '../../shared/resources/remittance-lines/queries.js';
import { remittanceLineListQuery } from '../../shared/resources/remittance-lines/schema.js';
import {
  applyRemittance,
  createRemittance,
  deleteRemittance,
} from '../../shared/resources/remittances/commands.js';
import { listRemittances } from '../../shared/resources/remittances/queries.js';
import { remittanceListQuery } from '../../shared/resources/remittances/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { expandRemittanceCsv } from '../transforms/remittance-lines.js';

export const remittanceRoutes = defineRoutes('Claims', (router, api) => {
  /**
   * @openapi
   * /remittances:
   *   get:
   *     operationId: listRemittances
   *     summary: List remittances
   *     description: Newest first. What motor clubs paid with one check or transfer each.
   *   post:
   *     operationId: createRemittance
   *     summary: Import a remittance
   *     description: >-
   *       Stores the club's list and compares each line with the claims, by PO and amount. No
   *       payment is recorded before /apply. The same payer and reference twice is 409 conflict,
   *       which names the first remittance. Each fault of the CSV names its line.
   * /remittances/{id}:
   *   get:
   *     operationId: getRemittance
   *     summary: Get one remittance
   *     description: Shows how many lines match, and how far the list is from the total.
   *   delete:
   *     operationId: deleteRemittance
   *     summary: Delete a remittance
   *     description: >-
   *       For a wrong import: its lines go with it, and the same payer and reference can be
   *       imported again. Once one of its lines is applied, this is 409 conflict.
   * /remittances/{id}/apply:
   *   post:
   *     operationId: applyRemittance
   *     summary: Record the payments of a remittance
   *     description: >-
   *       Records one payment for each claim that a line matches or pays short, as
   *       /claims/{id}/outcome does. All other lines stay open with their reasons. It may be
   *       called again; an applied line is never paid twice.
   */
  router.get(
    '/remittances',
    serveList(api, { access: READ, schema: remittanceListQuery, buildQuery: listRemittances }),
  );
  router.post('/remittances', serveWrite(api, createRemittance, { prepareInput: expandRemittanceCsv }));
  router.get('/remittances/:id', serveRecord(api, 'remittance'));
  router.delete('/remittances/:id', serveWrite(api, deleteRemittance));
  router.post('/remittances/:id/apply', serveWrite(api, applyRemittance));

  /**
   * @openapi
   * /remittance-lines:
   *   get:
   *     operationId: listRemittanceLines
   *     summary: List lines of remittances
   *     description: Of the newest remittance first, or of one, in the club's sequence.
   * /remittance-lines/{id}:
   *   get:
   *     operationId: getRemittanceLine
   *     summary: Get one line of a remittance
   *   patch:
   *     operationId: updateRemittanceLine
   *     summary: Name the claim of a line, or ignore the line
   *     description: >-
   *       JSON merge. The open lines of the remittance are compared again. An applied line is 409
   *       conflict.
   */
  router.get(
    '/remittance-lines',
    serveList(api, { access: READ, schema: remittanceLineListQuery, buildQuery: listRemittanceLines }),
  );
  router.get('/remittance-lines/:id', serveRecord(api, 'remittance_line'));
  router.patch('/remittance-lines/:id', serveWrite(api, updateRemittanceLine));
});
