import type Router from '@koa/router';
import type { Principal } from '../../shared/contracts/principal.js';
import { getReadAccess } from '../../shared/registry/tables.js';
import {
  approveApproval,
  proposeApproval,
  rejectApproval,
} from '../../shared/resources/approvals/commands.js';
import { listApprovals } from '../../shared/resources/approvals/queries.js';
import { approvalListQuery } from '../../shared/resources/approvals/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { RequestState } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import type { ApiRuntime } from '../runtime/runtime.js';

/**
 * The right to read approvals. Agents need the scope propose_approvals, and see only the approvals
 * that they requested.
 */
const read = getReadAccess('approval');

export const approvalRoutes = defineRoutes('Approvals', (router, api) => {
  /**
   * @openapi
   * /approvals:
   *   get:
   *     operationId: listApprovals
   *     summary: List approvals, pending and decided
   *     description: Newest first. Agent keys see only approvals that they requested.
   */
  router.get(
    '/approvals',
    serveList(api, { access: read, schema: approvalListQuery, buildQuery: listApprovals }),
  );

  /**
   * @openapi
   * /approvals:
   *   post:
   *     operationId: proposeApproval
   *     summary: Propose an invoice for approval by a person
   *     description: >-
   *       The invoice must be in draft or needs_review; the proposal does not change it. A second
   *       proposal while one is pending returns 409 approval_already_pending.
   */
  router.post('/approvals', serveWrite(api, proposeApproval));

  /**
   * @openapi
   * /approvals/{id}:
   *   get:
   *     operationId: getApproval
   *     summary: Get one approval
   *     description: Agent keys see only approvals that they requested.
   */
  router.get('/approvals/:id', serveRecord(api, 'approval', { isVisible: isOwn }));
  decisionRoutes(router, api);
});

function isOwn(body: string, key: Principal): boolean {
  return key.kind !== 'agent' || (JSON.parse(body) as { agent_id: string | null }).agent_id === key.id;
}

function decisionRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /approvals/{id}/approve:
   *   post:
   *     operationId: approveApproval
   *     summary: Approve a held write or a proposed invoice
   *     description: >-
   *       Runs the held write again as the agent, with every check; an invoice that it creates is
   *       still a draft. Approving a proposal approves its invoice. An approval can be approved
   *       once. If the price or the invoice has changed since it was shown, the response is 409
   *       conflict and lists the changes; the approval stays pending with the new content and its
   *       new hash.
   */
  router.post('/approvals/:id/approve', serveWrite(api, approveApproval));

  /**
   * @openapi
   * /approvals/{id}/reject:
   *   post:
   *     operationId: rejectApproval
   *     summary: Reject a held write or a proposed invoice
   *     description: Nothing is created or changed.
   */
  router.post('/approvals/:id/reject', serveWrite(api, rejectApproval));
}
