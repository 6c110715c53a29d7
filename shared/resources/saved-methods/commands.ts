import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import { savedMethodCreate } from './schema.js';

/** The input that the API takes from the path: the id of the customer. */
export interface NamedCustomer {
  customer_id: string;
}

/** Opens a page where a customer saves a card or a bank account. */
export const createSavedMethod = defineCommand<NamedCustomer>({
  type: 'saved_method.create',
  action: 'saved_method.requested',
  creates: true,
  schema: savedMethodCreate as unknown as Joi.ObjectSchema<NamedCustomer>,
  permission: 'write',
});

export const removeSavedMethod = defineCommand<NamedCustomer>({
  type: 'saved_method.remove',
  action: 'saved_method.removed',
  schema: Joi.object<NamedCustomer>({}),
  permission: 'write',
});

/** A payments vendor's report about one saved method, or about the page that saves it. */
export interface SavedMethodReport {
  /**
   * `attached` means that the vendor has the method, but the report does not show whether it is
   * verified.
   */
  status: 'open' | 'verifying' | 'active' | 'attached' | 'removed' | 'failed';
  url?: string | null;
  expires_at?: string | null;
  type?: string;
  brand?: string | null;
  last4?: string | null;
  exp_month?: number | null;
  exp_year?: number | null;
  verification_url?: string | null;
  error?: string | null;
  provider_customer_id?: string | null;
  provider_method_id?: string;
  /** RFC 3339: the time at which the worker read the method at the vendor. */
  observed_at: string;
}

/** Records the state of a payment method. The integrations worker submits this command. */
export const recordSavedMethod = defineCommand<SavedMethodReport>({
  type: 'saved_method.record',
  action: 'saved_method.recorded',
  schema: Joi.object({ status: Joi.string().required(), observed_at: Joi.string().required() }).unknown(),
  permission: 'write',
});

/**
 * Announces that a card on which autopay depends will soon expire. The clock submits this command.
 */
export const announceCardExpiry = defineCommand<object>({
  type: 'saved_method.announce_expiry',
  action: 'saved_method.expiry_announced',
  schema: Joi.object({}),
  permission: 'write',
});
