import { READ } from '../../shared/records/resource-table.js';
import {
  cancelTerminalPayment,
  createTerminalPayment,
} from '../../shared/resources/terminal-payments/commands.js';
import { listTerminalPayments } from '../../shared/resources/terminal-payments/queries.js';
import { terminalPaymentListQuery } from '../../shared/resources/terminal-payments/schema.js';
import { listTerminalReaders } from '../../shared/resources/terminal-readers/queries.js';
import { terminalReaderListQuery } from '../../shared/resources/terminal-readers/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import { defineRoutes } from '../runtime/define-routes.js';

export const terminalPaymentRoutes = defineRoutes('Invoices', (router, api) => {
  /**
   * @openapi
   * /terminal-readers:
   *   get:
   *     operationId: listTerminalReaders
   *     summary: List card readers
   *     description: >-
   *       Newest first. The vendor is asked for its readers every ten minutes, and by POST
   *       /connections/{id}/sync with the stream readers. A sandbox without a payments vendor has
   *       one pretend reader.
   */
  router.get(
    '/terminal-readers',
    serveList(api, { access: READ, schema: terminalReaderListQuery, buildQuery: listTerminalReaders }),
  );

  /**
   * @openapi
   * /terminal-readers/{id}:
   *   get:
   *     operationId: getTerminalReader
   *     summary: Get one card reader
   *     description: The pretend reader of a sandbox is in the list only, because it is not stored.
   */
  router.get('/terminal-readers/:id', serveRecord(api, 'terminal_reader'));

  /**
   * @openapi
   * /invoices/{id}/terminal-payments:
   *   post:
   *     operationId: createTerminalPayment
   *     summary: Take a card payment on a reader
   *     description: >-
   *       The reader asks the customer for a card, for two minutes. By default, the amount is the
   *       invoice's balance. An invoice and a reader have one waiting payment at a time. GET
   *       /terminal-payments/{id} shows what became of it.
   */
  router.post(
    '/invoices/:id/terminal-payments',
    serveWrite(api, createTerminalPayment, {
      resourceLabel: 'invoice',
      prepareInput: (input, ctx) => ({ ...input, invoice_id: String(ctx.params.id).toLowerCase() }),
    }),
  );

  /**
   * @openapi
   * /terminal-payments:
   *   get:
   *     operationId: listTerminalPayments
   *     summary: List payments on card readers
   *     description: Newest first.
   */
  router.get(
    '/terminal-payments',
    serveList(api, { access: READ, schema: terminalPaymentListQuery, buildQuery: listTerminalPayments }),
  );

  /**
   * @openapi
   * /terminal-payments/{id}:
   *   get:
   *     operationId: getTerminalPayment
   *     summary: Get one payment on a card reader
   */
  router.get('/terminal-payments/:id', serveRecord(api, 'terminal_payment'));

  /**
   * @openapi
   * /terminal-payments/{id}/cancel:
   *   post:
   *     operationId: cancelTerminalPayment
   *     summary: Cancel a payment on a card reader
   *     description: >-
   *       The payment is cancelled once the vendor confirms it. If the card was read before, the
   *       payment succeeds or fails as usual.
   */
  router.post('/terminal-payments/:id/cancel', serveWrite(api, cancelTerminalPayment));
});
