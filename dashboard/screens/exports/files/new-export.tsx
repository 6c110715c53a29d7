import { useState } from 'react';
import { client } from '../../../api/client';
import { useWrite } from '../../../api/use-write';
import { FormDialog } from '../../../parts/dialogs/form-dialog';
import { useUrl } from '../../../parts/url/use-url';
import { EMPTY_REQUEST, REQUEST_FIELDS, type RequestDraft } from '../request/request-draft';
import { RequestFields } from '../request/request-fields';
import { rememberStarted } from './started-exports';

export function NewExport({ onClose }: { onClose: () => void }) {
  const { openRecord } = useUrl();
  const [draft, setDraft] = useState(EMPTY_REQUEST);
  const write = useWrite((headers, body: RequestDraft) =>
    client.POST('/exports', { params: { header: headers }, body }),
  );
  const submit = async () => {
    const created = await write.run(draft);
    if (!created) return;
    rememberStarted(created);
    onClose();
    openRecord(created.id);
  };
  return (
    <FormDialog
      title="New export"
      submitLabel="Start export"
      fields={REQUEST_FIELDS}
      write={write}
      size="lg"
      isLong
      onSubmit={() => void submit()}
      onClose={onClose}
    >
      {(errors) => <RequestFields draft={draft} onDraft={setDraft} errors={errors} />}
    </FormDialog>
  );
}
