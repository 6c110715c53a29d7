import { Alert, Button, Group, PasswordInput, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { StatusBadge } from '../../../parts/record/status-badge';
import { checkDelivery, type Delivered, type Step } from './check-signature';
import { HEADER_NAMES, readHeaders, type SignedHeaders } from './header-text';

const EMPTY: Delivered = {
  headers: { 'webhook-id': '', 'webhook-timestamp': '', 'webhook-signature': '' },
  body: '',
  secret: '',
};

/** Browsers offer cryptography only to pages with TLS and to localhost. */
const canCompute = crypto.subtle !== undefined;

/** Checks the signature of a delivery in the browser, step by step. Sends and stores no data. */
export function VerifyView() {
  const [delivered, setDelivered] = useState(EMPTY);
  const [steps, setSteps] = useState<readonly Step[]>();
  const change = (patch: Partial<Delivered>) => {
    setDelivered((old) => ({ ...old, ...patch }));
    setSteps(undefined);
  };
  const check = async (event: FormEvent) => {
    event.preventDefault();
    setSteps(await checkDelivery(delivered, Date.now()));
  };
  return (
    <Stack gap="sm">
      <Text maw={720}>
        Finds out why a receiver refuses a delivery: it checks the signature as Standard Webhooks (v1)
        requires. It is computed in this page. Nothing is sent and nothing is stored.
      </Text>
      {!canCompute && <NoCryptography />}
      <form onSubmit={(event) => void check(event)} noValidate>
        <Stack gap="sm" maw={720}>
          <HeaderInputs headers={delivered.headers} onHeaders={(headers) => change({ headers })} />
          <Textarea
            label="Body"
            description="The raw body, before anything parses it"
            autosize
            minRows={4}
            maxRows={16}
            spellCheck={false}
            value={delivered.body}
            onChange={(event) => change({ body: event.currentTarget.value })}
          />
          <PasswordInput
            label="Secret"
            description="The signing secret of the endpoint, whsec_…"
            autoComplete="off"
            value={delivered.secret}
            onChange={(event) => change({ secret: event.currentTarget.value })}
          />
          <Group gap="xs">
            <Button type="submit" disabled={!canCompute}>
              Verify
            </Button>
            <Button variant="default" onClick={() => change(EMPTY)}>
              Clear
            </Button>
          </Group>
        </Stack>
      </form>
      <div aria-live="polite">{steps && <Result steps={steps} />}</div>
    </Stack>
  );
}

function NoCryptography() {
  return (
    <Alert color="orange" variant="outline" styles={{ message: { color: 'var(--mantine-color-text)' } }}>
      This page was opened without TLS, and browsers then offer no cryptography. Open it over https, or on
      localhost.
    </Alert>
  );
}

/**
 * The fields for the three headers. A text with several headers, pasted into any field, fills all
 * fields.
 */
function HeaderInputs({
  headers,
  onHeaders,
}: {
  headers: SignedHeaders;
  onHeaders: (headers: SignedHeaders) => void;
}) {
  return HEADER_NAMES.map((name, index) => (
    <TextInput
      key={name}
      label={name}
      description={index === 0 ? 'Paste all headers here at once, or one into each field' : undefined}
      spellCheck={false}
      value={headers[name]}
      onChange={(event) => onHeaders({ ...headers, [name]: event.currentTarget.value })}
      onPaste={(event) => {
        const found = readHeaders(event.clipboardData.getData('text'));
        if (!found) return;
        event.preventDefault();
        onHeaders({ ...headers, ...found });
      }}
    />
  ));
}

function Result({ steps }: { steps: readonly Step[] }) {
  const failed = steps.filter(({ result }) => result !== 'pass');
  const verdict =
    failed.length === 0
      ? 'A receiver accepts this delivery.'
      : `A receiver with these values refuses it: see ${failed.map(({ name }) => name).join(', ')}.`;
  return (
    <Stack gap="xs" maw={720} role="region" aria-label="Result">
      <Text fw={600}>{verdict}</Text>
      <Stack component="ol" gap="xs" m={0} pl="lg">
        {steps.map(({ name, result, reason }) => (
          <li key={name}>
            <Group gap="xs">
              <Text fw={600}>{name}</Text>
              <StatusBadge status={result} />
            </Group>
            <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
              {reason}
            </Text>
          </li>
        ))}
      </Stack>
    </Stack>
  );
}
