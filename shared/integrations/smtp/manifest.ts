import type { OperatorVendor } from '../vendor.js';

export const manifest: OperatorVendor['manifest'] = {
  vendor: 'smtp',
  kind: 'messaging',
  label: 'Mail server',
};
