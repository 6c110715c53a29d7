import { proposeInvoiceApprovalTool } from './approvals.js';
import { searchAuditLogTool } from './audit-log.js';
import { listCustomersTool } from './customers.js';
import { getDispatchBoardTool } from './dispatch-board.js';
import { createInvoiceDraftTool, getInvoiceTool, listInvoicesTool } from './invoices.js';
import type { Tool } from './tool.js';
import { createWorkOrderTool, getWorkOrderTool, listWorkOrdersTool } from './work-orders.js';

/** All tools, in the sequence in which lists show them (docs/specification.md §4.2). */
export const TOOLS: readonly Tool[] = [
  listInvoicesTool,
  getInvoiceTool,
  createInvoiceDraftTool,
  listWorkOrdersTool,
  getWorkOrderTool,
  createWorkOrderTool,
  listCustomersTool,
  getDispatchBoardTool,
  searchAuditLogTool,
  proposeInvoiceApprovalTool,
];
