/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SLUICE_NODE_H
#define SLUICE_NODE_H

#include <linux/fs.h>

struct cdev;
struct device;

void sluice_node_init(struct device *dev, struct device *parent,
		      void (*release)(struct device *dev));
int sluice_node_publish(struct device *dev, struct cdev *cdev, const struct file_operations *fops,
			const char *board, const char *name);
void sluice_node_free_number(struct device *dev);
int sluice_nodes_init(void);
void sluice_nodes_exit(void);

#endif
