import type { MotorClubAdapter } from '../../../shared/integrations/contract/motor-club.js';
import type { Step } from '../vendor/step.js';

export function getMotorClub({ vendor }: Step): MotorClubAdapter {
  if (!vendor.motorClub) throw new Error(`${vendor.manifest.vendor} bills no motor clubs`);
  return vendor.motorClub;
}
