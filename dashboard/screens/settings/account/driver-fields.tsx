import { Fieldset, Switch } from '@mantine/core';
import type { SettingsFieldsProps } from './settings-draft';

/** The settings that control what drivers may do on their page. */
export function DriverFields({ shown, set }: SettingsFieldsProps) {
  return (
    <Fieldset legend="Drivers">
      <Switch
        label="Drivers take payments"
        description="The driver's page shows what the customer owes, and takes the payment on a card reader or by a code to pay online."
        checked={shown.driver_payments === true}
        onChange={(event) => set({ driver_payments: event.currentTarget.checked })}
      />
    </Fieldset>
  );
}
