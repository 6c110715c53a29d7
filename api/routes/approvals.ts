import type Router from '@koa/router';
import type { Principal } from '../../shared/contracts/principal.js';
import {
  approveApproval,
  proposeApproval,
  rejectApproval,
} from '../../shared/resources/approvals/commands.js';
import { listApprovals } from '../../shared/resources/approvals/queries.js';
import { approvalListQuery } from '../../shared/resources/approvals/schema.js';
import { readAccess } from '../../shared/resources/tables.js';
import type { RequestState } from '../context.js';
import { list, readOne } from '../middleware/read.js';
import { write } from '../middleware/write.js';
import type { ApiRuntime } from '../runtime.js';

/** An agent that may propose may see what became of what it asked for. */
const read = readAccess('approval');

export function approvalRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /approvals:
   *   get:
   *     operationId: listApprovals
   *     tags: [Approvals]
   *     summary: List what waits, or waited, for a human
   *     description: Newest first. Agent keys need the scope propose_approvals and see what they asked for themselves.
   *     x-query: ApprovalListQuery
   *     responses:
   *       '200': { x-list: Approval }
   *       x-errors: [400, 401, 403, 429, 503]
   */
  router.get('/approvals', list(api, { access: read, schema: approvalListQuery, statement: listApprovals }));

  /**
   * @openapi
   * /approvals:
   *   post:
   *     operationId: proposeApproval
   *     tags: [Approvals]
   *     summary: Propose that a human approves an invoice
   *     description: >-
   *       The invoice must be a draft or need review, and stays as it is; a second open proposal of it is 409 approval_already_pending.
   *       Agent keys need the scope propose_approvals.
   *     x-body: ApprovalPropose
   *     responses:
   *       '201': { x-resource: Approval }
   *       x-errors: [400, 401, 403, 409, 413, 415, 422, 429, 503]
   */
  router.post('/approvals', write(api, proposeApproval, { what: 'approval' }));

  /**
   * @openapi
   * /approvals/{id}:
   *   get:
   *     operationId: getApproval
   *     tags: [Approvals]
   *     summary: Get one approval
   *     description: An agent key finds its own alone.
   *     responses:
   *       '200': { x-resource: Approval }
   *       x-errors: [401, 403, 404, 429, 503]
   */
  router.get(
    '/approvals/:id',
    readOne(api, { access: read, entityType: 'approval', what: 'approval', isVisible: isOwn }),
  );
  decisionRoutes(router, api);
}

function isOwn(body: string, key: Principal): boolean {
  return key.kind !== 'agent' || (JSON.parse(body) as { agent_id: string | null }).agent_id === key.id;
}

function decisionRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /approvals/{id}/approve:
   *   post:
   *     operationId: approveApproval
   *     tags: [Approvals]
   *     x-security: session
   *     summary: Approve, once
   *     description: >-
   *       Runs the held write again, as the agent, through every check: what it makes is still a draft. Of a proposal, approves the invoice.
   *       When price or invoice are no longer what was shown: 409 conflict with what changed; the approval stays pending with the new content and
   *       its new hash. Only a signed-in person decides, no key may.
   *     x-body: ApprovalApprove
   *     responses:
   *       '200': { x-resource: Approval }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post('/approvals/:id/approve', write(api, approveApproval, { what: 'approval' }));

  /**
   * @openapi
   * /approvals/{id}/reject:
   *   post:
   *     operationId: rejectApproval
   *     tags: [Approvals]
   *     x-security: session
   *     summary: Reject
   *     description: Nothing is made or changed. Only a signed-in person decides, no key may.
   *     x-body: ApprovalReject
   *     responses:
   *       '200': { x-resource: Approval }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post('/approvals/:id/reject', write(api, rejectApproval, { what: 'approval' }));
}
