import type { Schemas } from '../../../api/records';

type ActionName = Schemas['InvoiceActionName'];

interface Action {
  verb: string;
  permission: 'write' | 'approve';
  /** The effect of the action, in one or two sentences. */
  effect: string;
  /** Text of the notification afterwards. The invoice's number comes before this text. */
  done: string;
  isMain?: boolean;
  isDangerous?: boolean;
  reason?: string;
}

/**
 * The actions on invoices, with their texts. An invoice's `allowed_actions` lists the actions that
 * its status allows.
 */
export const ACTIONS: Record<ActionName, Action> = {
  approve: {
    verb: 'Approve',
    permission: 'approve',
    effect: 'The invoice becomes ready to be sent, and its line items are locked.',
    done: 'approved',
    isMain: true,
  },
  send: {
    verb: 'Send',
    permission: 'approve',
    effect: 'The customer gets the invoice, with a link to its page.',
    done: 'sent',
    isMain: true,
  },
  return: {
    verb: 'Return',
    permission: 'write',
    effect: 'The invoice goes back for changes. Its line items can be edited again.',
    done: 'returned for changes',
  },
  dispute: {
    verb: 'Dispute',
    permission: 'write',
    effect: 'The invoice is marked as disputed until somebody resolves it.',
    done: 'marked as disputed',
    reason: 'What the customer objects to',
  },
  resolve: {
    verb: 'Resolve',
    permission: 'approve',
    effect: 'The dispute ends. The status follows again from due date and payments.',
    done: 'resolved',
  },
  cancel: {
    verb: 'Cancel invoice',
    permission: 'write',
    effect: 'The invoice is abandoned before its release. This is final, and its number is not used again.',
    done: 'cancelled',
    isDangerous: true,
    reason: 'Reason',
  },
  void: {
    verb: 'Void',
    permission: 'approve',
    effect: 'The invoice is annulled. This is final, and the customer owes nothing for it.',
    done: 'voided',
    isDangerous: true,
    reason: 'Reason',
  },
};
