import {
  Button,
  type ButtonProps,
  Group,
  Modal,
  Stack,
  type StackProps,
  Text,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { texts } from '../texts/texts.js';
import { SmallButton } from './elements.js';
import { Failure } from './loaded.js';

interface DialogEndProps {
  /** What the dialog does. */
  acting: { readonly error: Error | null; readonly isPending: boolean };
  /** Default: “Save”. */
  label?: string | undefined;
  color?: string | undefined;
  /** Whether it can be done. */
  isReady?: boolean | undefined;
  /** Does it; absent: the button submits the form around it. */
  act?: () => void;
  close: () => void;
}

/** The end of a dialog: why it failed, and the buttons that leave it or do what it is for. */
export function DialogEnd(props: DialogEndProps) {
  const { acting, label = texts.common.save, color, isReady = true, act, close } = props;
  return (
    <>
      {acting.error ? <Failure error={acting.error} /> : null}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {texts.common.cancel}
        </Button>
        <Button
          type={act ? 'button' : 'submit'}
          color={color}
          loading={acting.isPending}
          disabled={!isReady}
          onClick={act}
        >
          {label}
        </Button>
      </Group>
    </>
  );
}

interface DialogButtonProps extends ButtonProps {
  label: string;
  /** Of the dialog; default: the label. */
  title?: string;
  end?: Pick<DialogEndProps, 'label' | 'color' | 'isReady'>;
  gap?: StackProps['gap'];
  onOpen?: () => void;
  /** Does what the dialog is for; the dialog closes when it is done. */
  act: () => Promise<unknown>;
  children: ReactNode;
}

/** A button that opens a dialog. */
export function DialogButton(props: DialogButtonProps) {
  const { label, title = label, end, gap = 'md', onOpen, act, children, ...button } = props;
  const [opened, { open, close }] = useDisclosure(false, onOpen ? { onOpen } : {});
  const acting = useMutation({ mutationFn: act, onSuccess: close });
  return (
    <>
      <SmallButton {...button} onClick={open}>
        {label}
      </SmallButton>
      <Modal opened={opened} onClose={close} title={title} centered>
        <Stack gap={gap}>
          {children}
          <DialogEnd acting={acting} {...end} act={() => acting.mutate()} close={close} />
        </Stack>
      </Modal>
    </>
  );
}

interface ConfirmDialogProps extends Pick<DialogButtonProps, 'label' | 'act'> {
  /** What will happen, and whether it can be undone. */
  question: string;
  close: () => void;
}

/** Asks before something that cannot be undone, where a menu has chosen it. */
export function ConfirmDialog({ label, question, act, close }: ConfirmDialogProps) {
  const acting = useMutation({ mutationFn: act, onSuccess: close });
  const end = { label, color: 'red', act: () => acting.mutate(), close };
  return (
    <Modal opened onClose={close} title={label} centered>
      <Stack>
        <Text size="sm">{question}</Text>
        <DialogEnd acting={acting} {...end} />
      </Stack>
    </Modal>
  );
}

interface ConfirmButtonProps extends Pick<DialogButtonProps, 'label' | 'act'>, ButtonProps {
  /** What will happen, and whether it can be undone. */
  question: string;
}

/** A button that asks before it does something that cannot be undone. */
export const ConfirmButton = ({ label, question, ...button }: ConfirmButtonProps) => (
  <DialogButton label={label} end={{ label, color: 'red' }} {...button}>
    <Text size="sm">{question}</Text>
  </DialogButton>
);
