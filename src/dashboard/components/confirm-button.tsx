import { Button, type ButtonProps, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { DialogEnd } from './dialog-end.js';

interface ConfirmButtonProps extends ButtonProps {
  label: string;
  /** What will happen, and whether it can be undone. */
  question: string;
  /** Does it; the dialog closes when it is done. */
  act: () => Promise<unknown>;
}

/** A button that asks before it does something that cannot be undone. */
export function ConfirmButton({ label, question, act, ...button }: ConfirmButtonProps) {
  const [opened, { open, close }] = useDisclosure();
  const acting = useMutation({ mutationFn: act, onSuccess: close });
  return (
    <>
      <Button size="xs" variant="default" {...button} onClick={open}>
        {label}
      </Button>
      <Modal opened={opened} onClose={close} title={label} centered>
        <Stack>
          <Text size="sm">{question}</Text>
          <DialogEnd
            acting={acting}
            label={label}
            color="red"
            act={() => acting.mutate()}
            close={close}
          />
        </Stack>
      </Modal>
    </>
  );
}
