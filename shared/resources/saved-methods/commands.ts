import Joi from 'joi';
import { defineCommand } from '../../contracts/command.js';
import { savedMethodCreate } from './schema.js';

/** The input of a set-up link and of a removal: the customer from the path. */
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

/** What a payments vendor reports about one saved method, or about the page that saves it. */
export interface SavedMethodReport {
  /** `attached` says that the vendor has the method, but not whether it is verified. */
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
  /** RFC 3339: when the worker read this at the vendor. */
  observed_at: string;
}

/** Records what became of a payment method. The integrations worker submits this command. */
export const recordSavedMethod = defineCommand<SavedMethodReport>({
  type: 'saved_method.record',
  action: 'saved_method.recorded',
  schema: Joi.object({ status: Joi.string().required(), observed_at: Joi.string().required() }).unknown(),
  permission: 'write',
});

/** Announces that a card on which autopay depends is about to expire. The clock submits it. */
export const announceCardExpiry = defineCommand<object>({
  type: 'saved_method.announce_expiry',
  action: 'saved_method.expiry_announced',
  schema: Joi.object({}),
  permission: 'write',
});
