/**
 * The actions in the audit log, by kind of record. The API names an action "record.verb". If the
 * URL names an action that is missing here, the filter still works.
 */
const VERBS: Readonly<Record<string, string>> = {
  invoice:
    'created updated approved sent viewed voided cancelled disputed resolved returned overdue_marked read listed',
  work_order:
    'created updated assigned accepted started step_logged completed drive_measured cancelled reopened unassigned read listed',
  recurring_invoice: 'created updated ended invoiced',
  customer: 'created updated read listed',
  payment: 'created refunded',
  approval: 'created proposed approved rejected expired',
  suggestion: 'created accepted dismissed expired',
  message: 'sent failed undelivered retried link_revoked',
  claim: 'created updated submitted answered rebilled withdrawal_recorded expired',
  remittance: 'created applied deleted',
  remittance_line: 'updated',
  impound: 'created updated hold_placed hold_lifted storage_accrued released',
  inspection: 'created updated',
  truck: 'created updated',
  driver: 'created updated',
  rate_card: 'created',
  export: 'created completed failed cancelled retried expired',
  export_schedule: 'created updated started deleted',
  webhook_endpoint:
    'created updated deleted disabled warned healed probed secret_rotated exhaustion_recorded recovery_noted',
  webhook_delivery: 'test_requested replayed cancelled',
  webhook_replay: 'created recovery_started cancelled',
  connection:
    'created updated authorized verified status_changed sync_requested reconciliation_requested sign_in_started operations_replayed notified access_not_revoked',
  sync_issue: 'opened resolved',
  api_key: 'created rolled revoked',
  agent_key: 'created rolled revoked',
  user: 'created updated deactivated',
  session: 'created ended',
  settings: 'updated logo_changed logo_removed',
  notice: 'acknowledged',
  audit_log: 'read searched',
  dispatch_board: 'read',
  tenant: 'created',
};

/**
 * The actions of refused calls. Each begins with the kind of call, such as `tool`, because a
 * refused call does not always name a record.
 */
const REFUSALS = ['request.refused', 'tool.refused', 'resource.refused', 'mcp.refused'];

export const RECORD_TYPES = Object.keys(VERBS);

/** Lists the actions on one kind of record, or all actions. */
export function listActions(recordType: string | undefined): string[] {
  const types = recordType ? [recordType] : RECORD_TYPES;
  const actions = types.flatMap((type) => (VERBS[type]?.split(' ') ?? []).map((verb) => `${type}.${verb}`));
  return [...actions, ...REFUSALS];
}

/** Returns an action in words for people: "Work order step logged" for `work_order.step_logged`. */
export function describeAction(action: string): string {
  const words = action
    .replace('.', ' ')
    .replaceAll('_', ' ')
    .replace(/^(api|mcp) /, (name) => name.toUpperCase());
  return words.charAt(0).toUpperCase() + words.slice(1);
}
