/* SPDX-License-Identifier: MIT */
#include "file/reader/protocol.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
    struct cmsghdr head;
    char room[CMSG_SPACE(sizeof(int))];
};

bool reader_send(int socket, const void *bytes, size_t count, int fd)
{
    const char *at = bytes;
    while (count) {
        union control control = {0};
        struct iovec part = {(void *)at, count};
        struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
        if (fd >= 0) {
            message.msg_control = &control;
            message.msg_controllen = sizeof control;
            control.head.cmsg_level = SOL_SOCKET;
            control.head.cmsg_type = SCM_RIGHTS;
            control.head.cmsg_len = CMSG_LEN(sizeof fd);
            memcpy(CMSG_DATA(&control.head), &fd, sizeof fd);
        }
        ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        fd = -1;
        at += sent;
        count -= (size_t)sent;
    }
    return true;
}

bool reader_receive(int socket, void *bytes, size_t count, int *fd)
{
    char *at = bytes;
    if (fd)
        *fd = -1;
    while (count) {
        union control control = {0};
        struct iovec part = {at, count};
        struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
        if (fd) {
            message.msg_control = &control;
            message.msg_controllen = sizeof control;
        }
        ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        struct cmsghdr *head = fd ? CMSG_FIRSTHDR(&message) : NULL;
        if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS &&
            head->cmsg_len == CMSG_LEN(sizeof *fd) && *fd < 0)
            memcpy(fd, CMSG_DATA(head), sizeof *fd);
        at += got;
        count -= (size_t)got;
    }
    return true;
}
