import { Button, Alert, Group, Modal, Stack } from '@mantine/core';
import { useState } from 'react';
import { Page } from '../../components/page.js';
import { texts } from '../../texts/texts.js';
import { KeyForm } from './key-form.js';
import { KeyList } from './key-list.js';
import { KeyUsage } from './key-usage.js';
import type { ApiKey } from './key-terms.js';
import { CodeBlock } from '../../components/copy-text.js';

const text = texts.keys;

/** Shows a new secret, the only time that it can be seen. */
function CreatedKey({ made, close }: { made: ApiKey; close: () => void }) {
  return (
    <Modal
      opened
      onClose={close}
      title={text.createdTitle}
      size="lg"
      closeOnClickOutside={false}
      closeOnEscape={false}
      withCloseButton={false}
    >
      <Stack>
        <Alert color="yellow">{text.createdHint}</Alert>
        <CodeBlock code={made.key ?? ''} label={made.name} />
        <Group justify="flex-end">
          <Button onClick={close}>{text.done}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}

/** The page `/keys`: the account's API keys, and what was used with each. */
export default function KeysPage() {
  const [isCreating, setCreating] = useState(false);
  const [made, setMade] = useState<ApiKey | null>(null);
  const create = <Button onClick={() => setCreating(true)}>{text.create}</Button>;
  return (
    <Page title={text.title} lead={text.lead} actions={create}>
      <KeyList create={create} onNewSecret={setMade} />
      <KeyUsage />
      {isCreating ? (
        <KeyForm
          edited={null}
          close={() => setCreating(false)}
          onSaved={(key) => {
            setCreating(false);
            setMade(key);
          }}
        />
      ) : null}
      {made ? <CreatedKey made={made} close={() => setMade(null)} /> : null}
    </Page>
  );
}
