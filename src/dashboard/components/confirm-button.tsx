import { Button, type ButtonProps, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { texts } from '../texts/texts.js';
import { Failure } from './loaded.js';

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
          {acting.error ? <Failure error={acting.error} /> : null}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {texts.common.cancel}
            </Button>
            <Button color="red" loading={acting.isPending} onClick={() => acting.mutate()}>
              {label}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
