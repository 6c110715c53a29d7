import type { CustomerStatementQuery } from '../../shared/contracts/generated.js';
import { AppError, notFound } from '../../shared/platform/errors.js';
import { isUuid } from '../../shared/platform/ids.js';
import { getReadAccess } from '../../shared/registry/tables.js';
import { createCustomer, updateCustomer } from '../../shared/resources/customers/commands.js';
import { listCustomers } from '../../shared/resources/customers/queries.js';
import { customerListQuery } from '../../shared/resources/customers/schema.js';
import {
  buildCustomerStatementQuery,
  MAX_STATEMENT_ENTRIES,
  type StatementRow,
} from '../../shared/resources/customers/statement.js';
import { customerStatementQuery } from '../../shared/resources/customers/statement-schema.js';
import { requireAccess } from '../middleware/access.js';
import { readQuery } from '../middleware/query.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { ApiMiddleware } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { declareFacts } from '../runtime/route-facts.js';
import type { ApiRuntime } from '../runtime/runtime.js';

const read = getReadAccess('customer');

export const customerRoutes = defineRoutes('Customers', (router, api) => {
  /**
   * @openapi
   * /customers:
   *   get:
   *     operationId: listCustomers
   *     summary: List customers
   *     description: Newest first, unless sort names another sequence.
   */
  router.get(
    '/customers',
    serveList(api, { access: read, schema: customerListQuery, buildQuery: listCustomers }),
  );

  /**
   * @openapi
   * /customers:
   *   post:
   *     operationId: createCustomer
   *     summary: Create a customer
   */
  router.post('/customers', serveWrite(api, createCustomer));

  /**
   * @openapi
   * /customers/{id}:
   *   get:
   *     operationId: getCustomer
   *     summary: Get one customer
   */
  router.get('/customers/:id', serveRecord(api, 'customer', { externalIdsOf: 'customer' }));

  /**
   * @openapi
   * /customers/{id}:
   *   patch:
   *     operationId: updateCustomer
   *     summary: Change a customer
   *     description: 'JSON merge: an absent member is kept, null clears it.'
   */
  router.patch('/customers/:id', serveWrite(api, updateCustomer));

  /**
   * @openapi
   * /customers/{id}/statement:
   *   get:
   *     operationId: getCustomerStatement
   *     summary: Get a customer's account statement
   *     description: >-
   *       Derived from released invoices, payments and refunds; shows what the customer owes. At
   *       most 2,000 entries per request.
   *     x-resource: CustomerStatement
   */
  router.get(
    '/customers/:id/statement',
    requireAccess({ permission: 'read', agentScope: null }),
    serveStatement(api),
  );
});

function serveStatement(api: ApiRuntime): ApiMiddleware {
  return declareFacts({ query: customerStatementQuery }, async (ctx) => {
    const { key } = ctx.state;
    const { id } = ctx.params;
    if (!isUuid(id)) throw notFound('customer');
    const query = readQuery<CustomerStatementQuery>(ctx, customerStatementQuery);
    const [found] = await api.db.read<StatementRow>(
      key.tenantId,
      buildCustomerStatementQuery(id, query, key),
    );
    if (!found) throw notFound('customer');
    if (found.count > MAX_STATEMENT_ENTRIES) throw statementTooLong(found.count);
    ctx.type = 'application/json';
    ctx.body = Buffer.from(found.body);
  });
}

function statementTooLong(count: number): AppError {
  const message = `The period between since and until has ${count} entries; a statement has at most ${MAX_STATEMENT_ENTRIES}. Choose a shorter period`;
  return new AppError('validation_error', `${message}.`, {
    details: [{ field: 'since', code: 'too_long', message }],
  });
}
