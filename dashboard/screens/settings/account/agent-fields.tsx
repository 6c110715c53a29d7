import { Fieldset, Stack, Switch, Text } from '@mantine/core';
import { ScreenLink } from '../../../parts/url/links';
import { MoneyField } from '../../../parts/values/money-field';
import type { SettingsFieldsProps } from './settings-draft';

/** The initial limit when a person switches a limit on. */
const FIRST_LIMIT_CENTS = 100_000;

const LIMITS = [
  [
    'agent_gate_cents',
    'Hold drafts by work order or payer',
    'Amount for one work order or payer',
    'Adds up the drafts that one key made within 24 hours for the same work order, customer or billing address.',
  ],
  [
    'agent_day_cents',
    'Hold drafts by day',
    'Amount for one key',
    'Adds up all drafts that one key made within 24 hours.',
  ],
] as const;

/** The amounts from which an agent's draft must wait for a person. */
export function AgentFields({ shown, set, errors }: SettingsFieldsProps) {
  return (
    <Fieldset legend="Drafts of agents">
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          A draft that reaches an amount below is held: it appears under{' '}
          <ScreenLink isInText screen="approvals">
            Approvals
          </ScreenLink>{' '}
          and becomes an invoice only when a person approves it.
        </Text>
        {LIMITS.map(([name, switchLabel, amountLabel, description]) => (
          <Stack key={name} gap="xs">
            <Switch
              label={switchLabel}
              description={description}
              checked={shown[name] !== null}
              onChange={(event) => set({ [name]: event.currentTarget.checked ? FIRST_LIMIT_CENTS : null })}
            />
            {shown[name] === null ? (
              <Text size="sm">No draft waits for this reason.</Text>
            ) : (
              <MoneyField
                label={amountLabel}
                maw={340}
                cents={shown[name]}
                error={errors[name] ?? (shown[name] === undefined && 'Enter an amount, such as 1,000.00.')}
                onCents={(cents) => set({ [name]: cents })}
              />
            )}
          </Stack>
        ))}
      </Stack>
    </Fieldset>
  );
}
