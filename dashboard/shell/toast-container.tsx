import '@mantine/core/styles/Notification.css';
import { Notifications } from '@mantine/notifications';
import '@mantine/notifications/styles.css';

function ToastContainer() {
  return <Notifications position="bottom-right" />;
}

// A default export, because React.lazy needs one.
export { ToastContainer as default };
