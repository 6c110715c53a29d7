import { Button } from '@mantine/core';
import { Download } from 'lucide-react';
import { useState } from 'react';
import { client, ifMatch } from '../../../api/client';
import { useCan } from '../../../api/session';
import { useWrite } from '../../../api/use-write';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { nameExport } from '../request/export-wording';
import { type Export, isUnfinished } from './export-progress';
import { forgetCompleted, rememberStarted } from './started-exports';

/** The buttons Download, Cancel, Delete file and Retry, as the export's status allows. */
export function ExportActions({ shown }: { shown: Export }) {
  const canExport = useCan('admin');
  const { status, download_url: url } = shown;
  const isOver = status === 'failed' || status === 'cancelled' || status === 'expired';
  return (
    <>
      {canExport && !isOver && <RemoveButton shown={shown} />}
      {canExport && isOver && <RetryButton shown={shown} />}
      {url !== null && (
        <Button component="a" href={url} leftSection={<Download size={16} aria-hidden />}>
          Download
        </Button>
      )}
    </>
  );
}

/**
 * Cancels an unfinished export, or deletes the file of a completed export. The API uses DELETE for
 * both.
 */
function RemoveButton({ shown }: { shown: Export }) {
  const [isAsking, setAsking] = useState(false);
  const isRunning = isUnfinished(shown);
  const remove = useWrite(
    (headers) => {
      // Cancel a running export without If-Match, because its progress constantly changes its
      // version.
      const match = isRunning ? {} : ifMatch(shown);
      return client.DELETE('/exports/{id}', {
        params: { path: { id: shown.id }, header: { ...headers, ...match } },
      });
    },
    { done: isRunning ? 'Export cancelled' : 'File deleted' },
  );
  const verb = isRunning ? 'Cancel export' : 'Delete file';
  const confirm = async () => {
    if (await remove.run(undefined)) setAsking(false);
  };
  return (
    <>
      <Button variant="default" onClick={() => setAsking(true)}>
        {isRunning ? 'Cancel' : 'Delete file'}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={`${verb}: ${nameExport(shown)}`}
          verb={verb}
          dismissLabel="Keep it"
          effect={
            isRunning
              ? 'The export stops, and what it has written is deleted. You can start it again with Retry.'
              : 'The file is deleted now, and its links stop working. Retry writes a new file with the records of that time.'
          }
          write={remove}
          onConfirm={() => void confirm()}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

function RetryButton({ shown }: { shown: Export }) {
  const retry = useWrite(
    (headers) =>
      client.POST('/exports/{id}/retry', {
        params: { path: { id: shown.id }, header: { ...headers, ...ifMatch(shown) } },
        body: {},
      }),
    { done: 'Export started again' },
  );
  const run = async () => {
    forgetCompleted(shown.id);
    const queued = await retry.run(undefined);
    if (queued) rememberStarted(queued);
  };
  return (
    <>
      {retry.problem && <ProblemAlert problem={retry.problem} />}
      <Button loading={retry.isRunning} onClick={() => void run()}>
        Retry
      </Button>
    </>
  );
}
