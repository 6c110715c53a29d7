import { Alert, Text } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Schemas } from '../../../api/records';
import type { Write } from '../../../api/use-write';
import { type FieldErrors, FormDialog } from '../../../parts/dialogs/form-dialog';
import { useUrl, useUrlSearch } from '../../../parts/url/use-url';

type Replay = Schemas['WebhookReplay'];
type Count = Schemas['DryRunOfWebhookReplay'];

/**
 * A dialog that first counts the deliveries by a dry run, and counts again after a change of the
 * filter. A second click then starts the replay, which opens with its progress.
 * @param verb the text of the second button, such as "Replay"
 */
export function CountedDialog<Body>({
  title,
  verb,
  body,
  fields,
  count,
  start,
  onClose,
  children,
}: {
  title: string;
  verb: string;
  body: Body;
  fields: readonly string[];
  count: Write<Body, Count>;
  start: Write<Body, Replay>;
  onClose: () => void;
  children: (errors: FieldErrors) => ReactNode;
}) {
  const { cursor } = useUrlSearch();
  const { setSearch } = useUrl();
  const [counted, setCounted] = useState<{ body: string; total: number | null }>();
  const text = JSON.stringify(body);
  const isCounted = counted?.body === text;
  const submit = async () => {
    if (!isCounted) {
      start.reset();
      const preview = await count.run(body);
      if (preview) setCounted({ body: text, total: preview.data.total });
      return;
    }
    const replay = await start.run(body);
    if (replay) {
      onClose();
      setSearch({ cursor, replay: replay.id });
    }
  };
  return (
    <FormDialog
      title={title}
      submitLabel={isCounted ? `${verb} ${nameCount(counted.total)}` : 'Count'}
      fields={fields}
      write={start.isRunning || start.problem ? start : count}
      canSubmit={!isCounted || counted.total !== 0}
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => (
        <>
          {children(errors)}
          <div aria-live="polite">{isCounted && <Preview verb={verb} total={counted.total} />}</div>
        </>
      )}
    </FormDialog>
  );
}

function Preview({ verb, total }: { verb: string; total: number | null }) {
  const text =
    total === 0
      ? 'Nothing matches. Change the filters and count again.'
      : `${verb} sends ${nameCount(total)}, oldest first. Live deliveries go before them.`;
  return (
    <Alert variant="outline" color="blue" styles={{ message: { color: 'var(--mantine-color-text)' } }}>
      <Text size="sm">{text}</Text>
    </Alert>
  );
}

function nameCount(total: number | null): string {
  if (total === null) return 'more deliveries than can be counted';
  return total === 1 ? '1 delivery' : `${total} deliveries`;
}
