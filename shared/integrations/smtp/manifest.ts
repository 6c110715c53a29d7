import type { OperatorVendor } from '../contract/vendor.js';

export const manifest: OperatorVendor['manifest'] = {
  vendor: 'smtp',
  kind: 'messaging',
  label: 'Mail server',
};
