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
import type { ReactNode, SyntheticEvent } from 'react';
import { texts } from '../texts/texts.js';
import { SmallButton } from './elements.js';
import { Failure } from './loaded.js';

interface ActDialogProps {
  title: string;
  opened?: boolean;
  /** What its button says; default: “Save”. */
  label?: string | undefined;
  color?: string | undefined;
  /** Whether it can be done. */
  isReady?: boolean | undefined;
  gap?: StackProps['gap'];
  size?: string;
  /** Does what the dialog is for; the dialog closes when it is done. */
  act: () => Promise<unknown>;
  close: () => void;
  children: ReactNode;
}

/** A dialog with a form, why it could not be done, and the buttons that leave it or do it. */
export function ActDialog(props: ActDialogProps) {
  const { title, opened = true, label = texts.common.save, color, isReady = true } = props;
  const { gap = 'md', size = 'md', act, close, children } = props;
  const acting = useMutation({ mutationFn: act, onSuccess: close });
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    acting.mutate();
  };
  return (
    <Modal opened={opened} onClose={close} title={title} size={size} centered>
      <form onSubmit={submit}>
        <Stack gap={gap}>
          {children}
          {acting.error ? <Failure error={acting.error} /> : null}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {texts.common.cancel}
            </Button>
            <Button type="submit" color={color} loading={acting.isPending} disabled={!isReady}>
              {label}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface DialogButtonProps
  extends Omit<ButtonProps, 'children'>, Pick<ActDialogProps, 'gap' | 'act' | 'children'> {
  label: string;
  /** Of the dialog; default: the label. */
  title?: string;
  end?: Pick<ActDialogProps, 'label' | 'color' | 'isReady'>;
  onOpen?: () => void;
}

/** A button that opens a dialog. */
export function DialogButton(props: DialogButtonProps) {
  const { label, title = label, end, gap = 'md', onOpen, act, children, ...button } = props;
  const [opened, { open, close }] = useDisclosure(false, onOpen ? { onOpen } : {});
  return (
    <>
      <SmallButton {...button} onClick={open}>
        {label}
      </SmallButton>
      <ActDialog {...{ opened, title, gap, act, close }} {...end}>
        {children}
      </ActDialog>
    </>
  );
}

interface ConfirmDialogProps extends Pick<ActDialogProps, 'act' | 'close'> {
  label: string;
  /** What will happen, and whether it can be undone. */
  question: string;
}

/** Asks before something that cannot be undone, where a menu has chosen it. */
export const ConfirmDialog = ({ label, question, act, close }: ConfirmDialogProps) => (
  <ActDialog title={label} label={label} color="red" act={act} close={close}>
    <Text size="sm">{question}</Text>
  </ActDialog>
);

/** A button that asks before it does something that cannot be undone. */
export const ConfirmButton = ({
  label,
  question,
  ...button
}: Omit<ConfirmDialogProps, 'close'> & ButtonProps) => (
  <DialogButton label={label} end={{ label, color: 'red' }} {...button}>
    <Text size="sm">{question}</Text>
  </DialogButton>
);
