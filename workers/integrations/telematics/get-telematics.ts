import type { TelematicsAdapter } from '../../../shared/integrations/contract/telematics.js';
import type { Step } from '../vendor/step.js';

export function getTelematics({ vendor }: Step): TelematicsAdapter {
  if (!vendor.telematics) throw new Error(`${vendor.manifest.vendor} knows no vehicles`);
  return vendor.telematics;
}
