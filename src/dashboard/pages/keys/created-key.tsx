import { Alert, Button, Group, Modal, Stack } from '@mantine/core';
import { CodeBlock } from '../../components/copy-text.js';
import { texts } from '../../texts/texts.js';
import type { ApiKey } from './key-terms.js';

const text = texts.keys;

/** Shows a new secret, the only time that it can be seen. */
export function CreatedKey({ made, close }: { made: ApiKey; close: () => void }) {
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
