import { Divider, SimpleGrid, Text } from '@mantine/core';
import { client, ifMatch } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { useEdits } from '../../../parts/dialogs/use-edits';
import { useOpenedVersion } from '../../../parts/dialogs/use-opened-version';
import type { Connection } from '../vendors/vendor-kinds';
import { nameField } from '../vendors/vendor-schema';
import { type BookSettings, listCategories } from './book-settings';
import { ChoiceSelect } from './choice-select';
import type { BookChoices } from './use-choices';

/**
 * Chooses the income account of each category, the tax codes, and the account for payments.
 * @param used the categories of recent invoices, which come first
 */
export function MappingDialog({
  connection,
  choices,
  used,
  onClose,
}: {
  connection: Connection;
  choices: BookChoices;
  used: readonly string[];
  onClose: () => void;
}) {
  const { opened, onProblem } = useOpenedVersion(connection);
  const { draft, edit } = useEdits<BookSettings>(opened.settings);
  const write = useWrite(
    (headers, body: Schemas['ConnectionPatch']) =>
      client.PATCH('/connections/{id}', {
        params: { path: { id: connection.id }, header: { ...headers, ...ifMatch(opened) } },
        body,
      }),
    { done: 'Accounts saved', onProblem },
  );
  const { accounts = {}, tax_codes: taxCodes = {}, deposit_account: deposit } = draft;
  const categories = listCategories(draft, used);
  const choose = (names: readonly string[], account: string | undefined) => {
    const others = Object.entries(accounts).filter(([category]) => !names.includes(category));
    const chosen = account === undefined ? [] : names.map((category) => [category, account]);
    edit({ accounts: Object.fromEntries([...others, ...chosen]) as Record<string, string> });
  };
  const submit = async () => {
    if (await write.run({ settings: withoutEmpty(draft) })) onClose();
  };
  return (
    <FormDialog
      title="Choose accounts"
      submitLabel="Save"
      size="xl"
      isLong
      fields={[
        ...categories.map((category) => `settings.accounts.${category}`),
        'settings.tax_codes.taxable',
        'settings.tax_codes.exempt',
        'settings.deposit_account',
      ]}
      write={write}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text size="sm">
            An invoice enters the books once each of its categories has an income account. Categories of
            recent invoices come first.
          </Text>
          <ChoiceSelect
            label="Account for all categories that have none"
            choices={choices.income}
            value={undefined}
            onValue={(account) => {
              const empty = categories.filter((category) => accounts[category] === undefined);
              if (account !== undefined) choose(empty, account);
            }}
          />
          <Divider label="Income accounts" labelPosition="left" />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            {categories.map((category) => (
              <ChoiceSelect
                key={category}
                label={nameField(category)}
                choices={choices.income}
                value={accounts[category]}
                error={errors[`settings.accounts.${category}`]}
                onValue={(account) => choose([category], account)}
              />
            ))}
          </SimpleGrid>
          <Divider label="Tax and payments" labelPosition="left" />
          <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
            <ChoiceSelect
              label="Tax code of taxed lines"
              choices={choices.taxes}
              value={taxCodes.taxable}
              error={errors['settings.tax_codes.taxable']}
              onValue={(taxable) => edit({ tax_codes: { ...taxCodes, taxable } as typeof taxCodes })}
            />
            <ChoiceSelect
              label="Tax code of all other lines"
              choices={choices.taxes}
              value={taxCodes.exempt}
              error={errors['settings.tax_codes.exempt']}
              onValue={(exempt) => edit({ tax_codes: { ...taxCodes, exempt } as typeof taxCodes })}
            />
          </SimpleGrid>
          <ChoiceSelect
            label="Account for payments"
            description="Without a choice, some vendors use an account of their own, and others accept no payment."
            choices={choices.deposit}
            value={deposit}
            error={errors['settings.deposit_account']}
            onValue={(account) => edit({ deposit_account: account } as BookSettings)}
          />
        </>
      )}
    </FormDialog>
  );
}

/** Removes the entries that the person has emptied, because the API refuses them. */
function withoutEmpty(settings: BookSettings): Record<string, unknown> {
  return JSON.parse(JSON.stringify(settings)) as Record<string, unknown>;
}
